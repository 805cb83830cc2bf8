/** Makes Temporal's copies of schedules what the rows are, however they came to differ. */
import type { Logger } from 'pino';
import { followSchedule } from '../../commands/schedules/pause.ts';
import type { Db } from '../../store/database.ts';
import { listScheduleStates } from '../../store/schedules/schedules.ts';
import type { ScheduleCopy, Schedules } from '../../workflows/schedules-client.ts';

export interface ScheduleRepair {
  db: Db;
  schedules: Pick<Schedules, 'list' | 'put' | 'remove'>;
  log: Pick<Logger, 'warn'>;
}

/**
 * Writes the copies that differ by what Temporal's list says of them; without `trustsList`, and when Temporal
 * does not list them, every one. One that Temporal does not take keeps no other from following. Temporal's
 * list may be late: then a copy is written once more.
 */
export async function repairScheduleCopies(
  { db, schedules, log }: ScheduleRepair,
  { trustsList }: { trustsList: boolean } = { trustsList: true },
): Promise<void> {
  // Before the rows are read: a copy on the list had its row by then.
  const copies = await schedules.list().catch((err: unknown) => {
    log.warn({ err }, 'Temporal does not list the schedules; all are written again');
    return new Map<string, ScheduleCopy>();
  });
  const rows = new Map((await listScheduleStates(db)).map((row) => [row.id, row]));
  const removed = [...copies.keys()].filter((id) => !rows.has(id));
  const changed = [...rows.values()].filter(({ id, version, isPaused }) => {
    const copy = copies.get(id);
    return !trustsList || copy?.version !== version || copy.isPaused !== isPaused;
  });
  for (const id of [...removed, ...changed.map((row) => row.id)]) {
    await followSchedule(db, schedules, id).catch((err: unknown) =>
      log.warn({ err, schedule_id: id }, 'a schedule does not follow'),
    );
  }
}
