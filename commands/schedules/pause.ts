import type { PauseReason, Schedule } from '../../contract/schedule.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockRunningSchedules, lockSchedule, pause, type ScheduleKey } from '../../store/schedules/change.ts';
import { auditOf } from './audit.ts';

/** Pauses a schedule for a person; one that is paused stays as it is. Null when the workspace has none of that id. */
export function pauseSchedule(
  db: Db,
  key: ScheduleKey,
  { userId, note }: { userId: string; note: string | null },
): Promise<Schedule | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockSchedule(trx, key);
    return before === null || before.paused_at !== null
      ? before
      : pauseLocked(trx, before, { reason: 'person', note, by: { type: 'user', id: userId } });
  });
}

/** Pauses the running schedules of a maker who leaves, of an agent that is removed or archived, or of a workspace that was closed. Returns their ids: Temporal has to follow. */
export async function pauseSchedulesOf(
  trx: Transaction,
  of: Parameters<typeof lockRunningSchedules>[1],
  { reason, by }: { reason: Exclude<PauseReason, 'person'>; by: Actor },
): Promise<string[]> {
  const schedules = await lockRunningSchedules(trx, of);
  for (const schedule of schedules) {
    await pauseLocked(trx, schedule, { reason, note: null, by });
  }
  return schedules.map(({ id }) => id);
}

/** Pauses a schedule that the transaction has locked. */
export async function pauseLocked(
  trx: Transaction,
  { id }: Schedule,
  { reason, note, by }: { reason: PauseReason; note: string | null; by: Actor },
): Promise<Schedule> {
  const schedule = await pause(trx, id, { reason, note });
  await appendAuditEvent(trx, auditOf('schedule.paused', schedule, { by, data: { reason } }));
  return schedule;
}
