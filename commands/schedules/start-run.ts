/** A time of a schedule becomes a session, or a reason why not; once, however often it is asked for. */

import { nextRunMs } from '../../contract/next-run.ts';
import { isRepeated } from '../../contract/repeated-hour.ts';
import type { RunOutcome, Schedule } from '../../contract/schedule.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { DueRun } from '../../contract/workflows.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/members.ts';
import { lockBothQuotas, QuotaExceededError } from '../../store/quotas/quotas.ts';
import {
  hasRunningSession,
  hasSessionSince,
  insertRun,
  readRequester,
  readRun,
} from '../../store/schedules/runs.ts';
import { lockSchedule, readSchedule, type ScheduleKey } from '../../store/schedules/schedules.ts';
import { derivedId } from '../../store/session-events/append.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { requireSessionQuotas, type SessionQuotas } from '../quotas/quotas.ts';
import { createSession } from '../sessions/create.ts';
import { auditOf, pauseLocked } from './pause.ts';

/** Of the run, and of the session that it starts. */
export const runIdOf = ({ scheduleId, scheduledAt }: DueRun) =>
  derivedId('schedule-run', scheduleId, new Date(scheduledAt).toISOString());

/**
 * Starts the session of a schedule that is due, or records why there is none: everything that a start depends
 * on is looked at now. Returns its id, or null. Idempotent: a run of the same time is found again. A schedule
 * whose maker or agent is gone, whose agent is archived or whose workspace is closed, is paused.
 */
export function startScheduledRun(db: Db, due: DueRun, quotas: SessionQuotas): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const known = await readSchedule(trx, due.scheduleId);
    if (known === null) {
      return null;
    }
    const { workspace_id: workspaceId, maker_id: makerId } = known;
    // Quotas, memberships, agents and schedules are locked in this order wherever several are.
    if (makerId !== null) {
      await lockBothQuotas(trx, { userId: makerId, workspaceId });
    }
    const isOpen = await keepWorkspaceOpen(trx, workspaceId);
    const members = await lockMembers(trx, workspaceId, makerId === null ? [] : [makerId]);
    const agents = await keepAgents(trx, workspaceId, known.agent_id === null ? [] : [known.agent_id]);
    const schedule = await lockSchedule(trx, { workspaceId, id: due.scheduleId });
    if (schedule === null) {
      return null;
    }
    const earlier = await readRun(trx, runIdOf(due));
    if (earlier !== null) {
      return earlier.session_id;
    }
    if (schedule.maker_id !== makerId || schedule.agent_id !== known.agent_id) {
      // Between the read and the lock: the next attempt locks the membership and the agent that count now.
      throw new Error('the schedule changed meanwhile');
    }
    const run = { ...due, requestedBy: await requesterOf(trx, schedule, due) };
    if (!isOpen) {
      return endRun(trx, schedule, { ...run, outcome: 'workspace_closed' });
    }
    const isMember = makerId !== null && members.has(makerId);
    if (isMember && known.agent_id !== null && agents.get(known.agent_id)?.isArchived === true) {
      return endRun(trx, schedule, { ...run, outcome: 'agent_archived' });
    }
    return isMember
      ? start(trx, schedule, { ...run, makerId, quotas })
      : endRun(trx, schedule, { ...run, outcome: 'maker_left' });
  });
}

/** A run, and who had it come beside the schedule's times. */
type AskedRun = DueRun & { requestedBy: string | null };

/** A time that the schedule's own rule gives is one of its times, whoever asked for a run then. */
async function requesterOf(
  trx: Transaction,
  schedule: Schedule,
  { scheduledAt }: DueRun,
): Promise<string | null> {
  const atMs = Date.parse(scheduledAt);
  const isOwnTime = nextRunMs(schedule.spec, schedule.time_zone, atMs - 1) === atMs;
  return isOwnTime ? null : readRequester(trx, schedule, scheduledAt);
}

async function start(
  trx: Transaction,
  schedule: Schedule,
  { makerId, quotas, ...due }: AskedRun & { makerId: string; quotas: SessionQuotas },
): Promise<string | null> {
  const { id, workspace_id: workspaceId, agent_id: agentId } = schedule;
  if (agentId === null) {
    return endRun(trx, schedule, { ...due, outcome: 'agent_removed' });
  }
  if (schedule.paused_at !== null) {
    return endRun(trx, schedule, { ...due, outcome: 'paused' });
  }
  if (await isTooLate(trx, schedule, due)) {
    return endRun(trx, schedule, { ...due, outcome: 'too_late' });
  }
  const hourBefore = runIdOf({ ...due, scheduledAt: hourBeforeOf(due) });
  const ranAnHourBefore = (await readRun(trx, hourBefore)) !== null;
  if (isRepeated(schedule, { ...due, ranAnHourBefore })) {
    return endRun(trx, schedule, { ...due, outcome: 'repeated' });
  }
  const limit = await reachedLimit(trx, { userId: makerId, workspaceId }, quotas);
  if (limit !== null) {
    return endRun(trx, schedule, { ...due, outcome: 'limit_reached', detail: limit });
  }
  const { id: sessionId } = await createSession(trx, {
    id: runIdOf(due),
    workspaceId,
    agentId,
    operatorId: null,
    rootOperatorId: null,
    parentSessionId: null,
    prompt: schedule.prompt,
    schedule: { id, makerId, requestExpirySeconds: schedule.request_expiry_seconds },
  });
  const run = { id: sessionId, workspaceId, ...due, outcome: 'started', detail: null, sessionId } as const;
  await insertRun(trx, run);
  return sessionId;
}

const hourBeforeOf = ({ scheduledAt }: DueRun) => new Date(Date.parse(scheduledAt) - 3_600_000).toISOString();

/**
 * Temporal keeps the window while it is down, and does not know for how long no worker ran. Only a run that
 * waited for the session of the one before may be late.
 */
async function isTooLate(trx: Transaction, schedule: Schedule, { scheduledAt }: DueRun): Promise<boolean> {
  const isLate = Date.now() - Date.parse(scheduledAt) > schedule.catch_up_window_seconds * 1000;
  const waits = schedule.overlap === 'buffer_one' || schedule.overlap === 'cancel_other';
  return isLate && !(waits && (await hasSessionSince(trx, schedule, scheduledAt)));
}

/** The sentence of the quota that is exhausted, or null. */
async function reachedLimit(
  trx: Transaction,
  of: { userId: string; workspaceId: string },
  quotas: SessionQuotas,
): Promise<string | null> {
  try {
    await requireSessionQuotas(trx, of, quotas);
    return null;
  } catch (error) {
    if (error instanceof QuotaExceededError) {
      return error.message;
    }
    throw error;
  }
}

/** Records why the run has no session; what keeps every later run from one pauses the schedule. */
async function endRun(
  trx: Transaction,
  schedule: Schedule,
  { outcome, detail = null, ...due }: AskedRun & { outcome: RunOutcome; detail?: string | null },
): Promise<null> {
  await insertRun(trx, {
    ...due,
    ...{ id: runIdOf(due), workspaceId: schedule.workspace_id, outcome, detail, sessionId: null },
  });
  if (
    schedule.paused_at === null &&
    (outcome === 'maker_left' ||
      outcome === 'agent_removed' ||
      outcome === 'agent_archived' ||
      outcome === 'workspace_closed')
  ) {
    await pauseLocked(trx, schedule, { reason: outcome, note: null, by: systemActor });
  }
  return null;
}

type RequestedRun =
  | { result: 'requested'; schedule: Schedule }
  | { result: 'not_found' | 'paused' | 'still_running' };

/**
 * Records who asks for a run beside the schedule's times, or says why there would be none. Temporal has to be
 * asked then.
 */
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
