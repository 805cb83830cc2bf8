/**
 * Who may make a schedule is who may start a session. Who may change one, and see what it holds
 * (docs/schedules.md#people).
 */
import type { Schedule } from '../../contract/schedule.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Refusal } from './refusal.ts';

export function whyNotChangeSchedule(
  { userId, role }: { userId: string; role: WorkspaceRole },
  schedule: Pick<Schedule, 'maker_id'>,
): Refusal {
  return role === 'admin' || schedule.maker_id === userId
    ? null
    : 'Only a workspace admin or the maker of the schedule may change it and see its runs';
}
