/** Finds workloads that no session wants any more (design 6: nothing is left running). */
import { isTerminal } from '../../contract/session.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Stops every workload of this runtime whose session has ended or is gone; returns their session ids. What
 * cannot be stopped holds up nothing else, and is tried again with the next sweep.
 */
export async function stopOrphans({
  db,
  runtime,
  log,
}: Pick<ActivityDependencies, 'db' | 'runtime' | 'log'>): Promise<string[]> {
  const stopped: string[] = [];
  for (const sessionId of await runtime.list()) {
    const session = await readSession(db, sessionId);
    if (session === null || isTerminal(session.status)) {
      try {
        await runtime.stop(sessionId);
      } catch (err) {
        log.error({ sessionId, err }, 'a workload whose session had ended could not be stopped');
        continue;
      }
      log.warn({ sessionId }, 'stopped a workload whose session had ended');
      stopped.push(sessionId);
    }
  }
  return stopped;
}
