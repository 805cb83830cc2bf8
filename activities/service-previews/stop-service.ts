import { withdrawService } from '../../store/previews/services.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Stops everything that the service runs, and cleans up after it. Idempotent. Nobody asks at its address any
 * more: another may have it next.
 */
export async function stopService(
  { db, runtime }: ActivityDependencies,
  { previewId }: { previewId: string },
): Promise<void> {
  await withdrawService(db, previewId);
  await runtime.stop(previewId);
}
