import { endService } from '../../commands/previews/end.ts';
import type { ServiceEnding } from '../../contract/workflows.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * The last step of every preview of a service, which ends the preview as well. Idempotent: a recorded
 * end is returned as it is.
 */
export function recordServiceEnd(
  { db }: ActivityDependencies,
  { previewId, ending }: { previewId: string; ending: ServiceEnding },
): Promise<ServiceEnding> {
  return endService(db, previewId, ending);
}
