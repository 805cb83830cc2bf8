import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { deleteSchedule, lockSchedule, type ScheduleKey } from '../../store/schedules/change.ts';
import { auditOf } from './audit.ts';

/** Removes a schedule with what is known of its runs; its sessions stay, and continue. False when the workspace has none of that id. */
export function removeSchedule(db: Db, key: ScheduleKey, { userId }: { userId: string }): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const schedule = await lockSchedule(trx, key);
    if (schedule === null) {
      return false;
    }
    await deleteSchedule(trx, schedule.id);
    await appendAuditEvent(trx, auditOf('schedule.removed', schedule, { by: { type: 'user', id: userId } }));
    return true;
  });
}
