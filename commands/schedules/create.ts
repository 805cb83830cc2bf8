import type { FieldProblem } from '../../contract/errors.ts';
import type { Schedule, ScheduleInput } from '../../contract/schedule.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/lock-members.ts';
import { insertSchedule } from '../../store/schedules/change.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { requireRoomInWorkspace } from '../quotas/room-in-workspace.ts';
import { auditOf, decisionsOf } from './audit.ts';
import { scheduleProblems } from './problems.ts';

export type SavedSchedule =
  | { result: 'saved'; schedule: Schedule }
  | { result: 'refused'; problems: FieldProblem[] }
  /** `by`: the name that the workspace has; null when that is gone again. */
  | { result: 'name_taken'; by: string | null }
  | { result: 'not_found' };

export interface ScheduleLimits {
  shortestIntervalSeconds: number;
}

/** Adds a schedule that belongs to its maker. Throws QuotaExceededError at the workspace's limit. */
export function createSchedule(
  db: Db,
  { workspaceId, makerId }: { workspaceId: string; makerId: string },
  input: ScheduleInput,
  { limit, ...limits }: ScheduleLimits & { limit: number },
): Promise<SavedSchedule> {
  return inTransaction(db, async (trx) => {
    await requireRoomInWorkspace(trx, workspaceId, 'schedules', { limit });
    if (!(await lockMembers(trx, workspaceId, [makerId])).has(makerId)) {
      return { result: 'not_found' };
    }
    const problems = await scheduleProblems(trx, workspaceId, input, limits);
    if (problems.length > 0) {
      return { result: 'refused', problems };
    }
    const schedule = await insertSchedule(trx, { workspaceId, makerId }, input);
    if (schedule === null) {
      const by = await findSimilarName(trx, 'schedules', { workspaceId, name: input.name });
      return { result: 'name_taken', by };
    }
    const by = { type: 'user', id: makerId } as const;
    await appendAuditEvent(trx, auditOf('schedule.created', schedule, { by, data: decisionsOf(schedule) }));
    return { result: 'saved', schedule };
  });
}
