import type { Schedule } from '../../contract/schedule.ts';
import type { Db } from '../../store/database.ts';
import { readSchedule } from '../../store/schedules/read.ts';
import { readScheduleSummary } from '../../store/sessions/workflow-summaries.ts';

/** Temporal's copies of schedules, as far as they follow rows. */
interface Copies {
  /** False, and nothing changed, for a copy of a later version. */
  put(schedule: Schedule, options: { summary: string; overwrites?: boolean }): Promise<boolean>;
  remove(scheduleId: string): Promise<void>;
}

/**
 * Makes Temporal's copy of a schedule what its row is now, or removes it. A copy of a later version was written by somebody who read a later row; when there is
 * none after all, it is not the platform's own, since the versions of rows only count up, and is replaced. Throws what Temporal's client throws.
 */
export async function followSchedule(db: Db, copies: Copies, id: string): Promise<void> {
  const row = await readSchedule(db, id);
  if (row === null) {
    await copies.remove(id);
    return;
  }
  const summary = await readScheduleSummary(db, id);
  if (await copies.put(row, { summary })) {
    return;
  }
  const now = await readSchedule(db, id);
  const overwrites = now?.version === row.version;
  await (now === null ? copies.remove(id) : copies.put(now, { summary, overwrites }));
}
