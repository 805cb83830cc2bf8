/** Watches a session's workload until it ends, for sessions that an earlier release started (docs/decisions/0037). */
import { heartbeat, sleep } from '@temporalio/activity';
import type { ActivityDependencies } from '../dependencies.ts';
import { announceEnded, createEndedWatch } from './announce-ended.ts';
import { endOfSession, exitOf, isRestarting, type WorkloadExit } from './workload-exit.ts';

const pollIntervalMs = 500;
/** Interval of checks that the session still exists. */
const sessionCheckIntervalMs = 5000;

/**
 * Returns the first workload event that ends the session. Reads, and announces each ended companion once, so that any
 * number of attempts, on any worker, is harmless. Ends with a cancellation when the session ends otherwise.
 */
export async function watchWorkload(
  dependencies: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<WorkloadExit> {
  const { runtime } = dependencies;
  let sessionCheckedAtMs = 0;
  let restartingSinceMs: number | null = null;
  const endedFor = createEndedWatch();
  while (true) {
    heartbeat();
    if (Date.now() - sessionCheckedAtMs > sessionCheckIntervalMs) {
      sessionCheckedAtMs = Date.now();
      const ended = await endOfSession(dependencies, sessionId);
      if (ended !== null) {
        return ended;
      }
    }
    const state = await runtime.inspect(sessionId);
    await announceEnded(dependencies.db, sessionId, endedFor(state));
    restartingSinceMs = isRestarting(state) ? (restartingSinceMs ?? Date.now()) : null;
    const exit = exitOf(state, restartingSinceMs === null ? 0 : Date.now() - restartingSinceMs);
    if (exit !== null) {
      return exit;
    }
    await sleep(pollIntervalMs);
  }
}
