import type { Schedule } from '../../contract/schedule.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockSchedule, type ScheduleKey } from '../../store/schedules/change.ts';
import { hasRunningSession } from '../../store/schedules/runs.ts';
import { auditOf } from './audit.ts';

export type RequestedRun =
  | { result: 'requested'; schedule: Schedule }
  | { result: 'not_found' | 'paused' | 'still_running' };

/** Records who asks for a run beside the schedule's times, or says why there would be none. Temporal has to be asked then. */
export function requestRun(db: Db, key: ScheduleKey, { userId }: { userId: string }): Promise<RequestedRun> {
  return inTransaction(db, async (trx) => {
    const schedule = await lockSchedule(trx, key);
    if (schedule === null) {
      return { result: 'not_found' };
    }
    if (schedule.paused_at !== null) {
      return { result: 'paused' };
    }
    if (schedule.overlap === 'skip' && (await hasRunningSession(trx, schedule))) {
      return { result: 'still_running' };
    }
    const by = { type: 'user', id: userId } as const;
    await appendAuditEvent(trx, auditOf('schedule.run_requested', schedule, { by }));
    return { result: 'requested', schedule };
  });
}
