import { moveSession } from '../../commands/sessions/move.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The sidecar is ready, so the session runs. Idempotent. */
export async function recordRunning(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  await moveSession(db, sessionId, { to: 'running', reason: null });
}
