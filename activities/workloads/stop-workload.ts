import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { announceEnded, endedCompanions } from './announce-ended.ts';

/** Stops everything that the session runs, and announces what had ended before. Idempotent. */
export async function stopWorkload(
  { runtime, db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  // Later attempts cannot tell what the first one has stopped. What cannot be told does not
  // keep a workload running.
  if (activityInfo().attempt === 1) {
    await runtime
      .inspect(sessionId)
      .then((state) => announceEnded(db, sessionId, endedCompanions(state)))
      .catch(() => undefined);
  }
  await withHeartbeats(() => runtime.stop(sessionId, cancellationSignal()));
}
