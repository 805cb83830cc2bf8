/** A schedule is paused and resumed, and its copy at Temporal follows. */
import type { AuditEventName } from '../../contract/audit-event.ts';
import type { PauseReason, Schedule } from '../../contract/schedule.ts';
import type { Actor } from '../../contract/session-event.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { appendAuditEvent, type NewAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/members.ts';
import {
  lockRunningSchedules,
  lockSchedule,
  pause,
  readSchedule,
  resume,
  type ScheduleKey,
} from '../../store/schedules/schedules.ts';
import { readScheduleSummary } from '../../store/sessions/workflow-summaries.ts';

type ScheduleEvent = Extract<AuditEventName, `schedule.${string}`>;

/** What happened to a schedule. `data` never has its prompt or what people wrote about it. */
export function auditOf(
  event: ScheduleEvent,
  schedule: Schedule,
  { by, data = {} }: { by: Actor; data?: Record<string, unknown> },
): NewAuditEvent {
  return {
    workspaceId: schedule.workspace_id,
    event,
    actor: by,
    resource: { type: 'schedule', id: schedule.id, name: schedule.name },
    data,
  };
}

/** What was decided, but for the prompt. */
export const decisionsOf = ({
  agent_id,
  spec,
  time_zone,
  overlap,
  catch_up_window_seconds,
  request_expiry_seconds,
}: Schedule) => ({
  agent_id,
  spec,
  time_zone,
  overlap,
  catch_up_window_seconds,
  request_expiry_seconds,
});

/** Temporal's copies of schedules, as far as they follow rows. */
export interface Copies {
  /** False, and nothing changed, for a copy of a later version. */
  put(schedule: Schedule, options: { summary: string; overwrites?: boolean }): Promise<boolean>;
  remove(scheduleId: string): Promise<void>;
}

/**
 * Makes Temporal's copy of a schedule what its row is now, or removes it. A copy of a later version was
 * written by somebody who read a later row; when there is none after all, it is not the platform's own, since
 * the versions of rows only count up, and is replaced. Throws what Temporal's client throws.
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

/**
 * Pauses a schedule for a person; one that is paused stays as it is. Null when the workspace has none of that
 * id.
 */
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

/**
 * Pauses the running schedules of a maker who leaves, of an agent that is removed or archived, or of a
 * workspace that was closed. Returns their ids: Temporal has to follow.
 */
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

type ResumedSchedule =
  | { result: 'done'; schedule: Schedule }
  | { result: 'not_found' | 'agent_removed' | 'agent_archived' | 'not_member' };

/**
 * Continues a paused schedule; one that runs stays as it is. It is the resuming person's from then on when
 * its maker is no longer a member of the workspace: somebody has to answer for its sessions.
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
