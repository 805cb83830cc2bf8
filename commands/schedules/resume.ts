import type { Schedule } from '../../contract/schedule.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/lock-members.ts';
import { lockSchedule, resume, type ScheduleKey } from '../../store/schedules/change.ts';
import { readSchedule } from '../../store/schedules/read.ts';
import { auditOf } from './audit.ts';

export type ResumedSchedule =
  | { result: 'done'; schedule: Schedule }
  | { result: 'not_found' | 'agent_removed' | 'agent_archived' | 'not_member' };

/**
 * Continues a paused schedule; one that runs stays as it is. It is the resuming person's from then on when its maker is no longer a member of the
 * workspace: somebody has to answer for its sessions.
 */
export function resumeSchedule(
  db: Db,
  key: ScheduleKey,
  { userId }: { userId: string },
): Promise<ResumedSchedule> {
  return inTransaction(db, async (trx) => {
    // Memberships and agents are locked before schedules wherever several are.
    const known = await readSchedule(trx, key.id);
    const makerId = known?.maker_id ?? null;
    const members = await lockMembers(trx, key.workspaceId, makerId === null ? [userId] : [makerId, userId]);
    const agentId = known?.agent_id ?? null;
    const agents = await keepAgents(trx, key.workspaceId, agentId === null ? [] : [agentId]);
    const before = await lockSchedule(trx, key);
    if (before === null) {
      return { result: 'not_found' };
    }
    if (before.paused_at === null) {
      return { result: 'done', schedule: before };
    }
    if (before.agent_id === null) {
      return { result: 'agent_removed' };
    }
    // An agent that was named meanwhile is looked at when a run is due.
    if (agents.get(before.agent_id)?.isArchived === true) {
      return { result: 'agent_archived' };
    }
    if (!members.has(userId)) {
      return { result: 'not_member' };
    }
    const { maker_id: formerId } = before;
    const keeps = formerId !== null && members.has(formerId);
    const schedule = await resume(trx, before.id, keeps ? formerId : userId);
    const data = { reason: before.pause_reason, maker_id: schedule.maker_id };
    await appendAuditEvent(
      trx,
      auditOf('schedule.resumed', schedule, { by: { type: 'user', id: userId }, data }),
    );
    return { result: 'done', schedule };
  });
}
