/** Finds workloads that no session, no check and no preview needs, so that nothing is left running. */
import { isTerminal } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { listUnfinishedChecks, readCheck } from '../../store/mcp-checks/checks.ts';
import { listUnfinishedServices, readService } from '../../store/previews/services.ts';
import { listUnfinishedSessionIds } from '../../store/sessions/list.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Stops every workload of this runtime whose session, check or service has ended or was deleted; returns
 * their session ids. What cannot be stopped does not block the others, and is retried by the next sweep.
 */
export async function stopOrphans({
  db,
  runtime,
  log,
}: Pick<ActivityDependencies, 'db' | 'runtime' | 'log'>): Promise<string[]> {
  const stopped: string[] = [];
  const found = await runtime.list();
  // What is listed has a row by now, if it ever had one.
  const unfinished = new Set([
    ...(await listUnfinishedSessionIds(db)),
    ...(await listUnfinishedChecks(db)).map(({ id }) => id),
    ...(await listUnfinishedServices(db)),
  ]);
  for (const sessionId of found.filter((id) => !unfinished.has(id))) {
    if (!(await isWanted(db, sessionId))) {
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

/** A workload belongs to a session, or by its id to a check or to a preview that shows a service. */
async function isWanted(db: Db, id: string): Promise<boolean> {
  const session = await readSession(db, id);
  if (session !== null) {
    return !isTerminal(session.status);
  }
  const check = await readCheck(db, id);
  if (check !== null) {
    return check.ended_at === null;
  }
  const service = await readService(db, id);
  return service !== null && !service.hasEnded;
}
