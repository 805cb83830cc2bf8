/** Makes Temporal's copies of schedules what the rows are, however they came to differ. */
import type { Logger } from 'pino';
import type { Db } from '../../store/database.ts';
import { listScheduleStates, readSchedule } from '../../store/schedules/read.ts';
import type { Schedules } from '../../workflows/schedules-client.ts';

/** One that Temporal does not take keeps no other from following. Temporal's list may be late: then a copy is written once more. */
export async function followSchedules({
  db,
  schedules,
  log,
}: {
  db: Db;
  schedules: Pick<Schedules, 'list' | 'put' | 'remove'>;
  log: Pick<Logger, 'warn'>;
}): Promise<void> {
  // Before the rows are read: a copy on the list had its row by then.
  const copies = await schedules.list();
  const rows = new Map((await listScheduleStates(db)).map((row) => [row.id, row]));
  const removed = [...copies.keys()].filter((id) => !rows.has(id));
  const changed = [...rows.values()].filter(({ id, version, isPaused }) => {
    const copy = copies.get(id);
    return copy?.version !== version || copy.isPaused !== isPaused;
  });
  const follow = async (id: string): Promise<void> => {
    const schedule = await readSchedule(db, id);
    await (schedule === null ? schedules.remove(id) : schedules.put(schedule));
  };
  for (const id of [...removed, ...changed.map((row) => row.id)]) {
    await follow(id).catch((err: unknown) =>
      log.warn({ err, schedule_id: id }, 'a schedule does not follow'),
    );
  }
}
