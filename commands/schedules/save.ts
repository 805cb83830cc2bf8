/** A schedule is created, changed and removed. */
import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../contract/errors.ts';
import { notForSchedules } from '../../contract/remote-server.ts';
import {
  type Schedule,
  type ScheduleInput,
  type SchedulePatch,
  shortestSeconds,
} from '../../contract/schedule.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { listSignInAttachments } from '../../store/attachments/read-for-launch.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, hasSqlState, inTransaction, sqlState, type Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/members.ts';
import {
  deleteSchedule,
  insertSchedule,
  lockSchedule,
  readSchedule,
  replaceSchedule,
  type ScheduleKey,
} from '../../store/schedules/schedules.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { agentArchivedProblem } from '../agents/archive.ts';
import { requireRoomInWorkspace } from '../quotas/quotas.ts';
import { auditOf, decisionsOf } from './pause.ts';

/**
 * What cannot be as asked: an agent that is not of the workspace, is archived or needs somebody who signs in,
 * and runs that follow too closely. The agent stays until the transaction ends; what it attaches is looked at
 * again when a session starts.
 */
async function scheduleProblems(
  trx: Transaction,
  workspaceId: string,
  { agent_id: agentId, spec }: ScheduleInput,
  { shortestIntervalSeconds }: { shortestIntervalSeconds: number },
): Promise<FieldProblem[]> {
  const problems = await agentProblems(trx, workspaceId, agentId);
  const shortest = shortestSeconds(spec);
  if (shortest < shortestIntervalSeconds) {
    problems.push({
      path: spec.kind === 'cron' ? 'spec.expression' : 'spec.every_seconds',
      code: 'too_often',
      message: `runs every ${shortest} seconds; the shortest time between two runs is ${shortestIntervalSeconds} seconds`,
    });
  }
  return problems;
}

async function agentProblems(
  trx: Transaction,
  workspaceId: string,
  agentId: string,
): Promise<FieldProblem[]> {
  const path = 'agent_id';
  const agent = (await keepAgents(trx, workspaceId, [agentId])).get(agentId);
  if (agent === undefined) {
    return [{ path, code: 'unknown_agent', message: 'there is no such agent in this workspace' }];
  }
  if (agent.isArchived) {
    return [agentArchivedProblem(path)];
  }
  const servers = await listSignInAttachments(trx, agentId);
  return servers.map((name) => ({ path, code: 'needs_sign_in', message: `"${name}" ${notForSchedules}` }));
}

export type SavedSchedule =
  | { result: 'saved'; schedule: Schedule }
  | { result: 'refused'; problems: FieldProblem[] }
  /** `by`: the name that the workspace has; null when that is gone again. */
  | { result: 'name_taken'; by: string | null }
  | { result: 'not_found' };

interface ScheduleLimits {
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

/** Changes what is given; holds from the next run on. Identical values change nothing and write no event. */
export async function updateSchedule(
  db: Db,
  key: ScheduleKey,
  patch: SchedulePatch,
  rights: ScheduleLimits & { userId: string },
): Promise<SavedSchedule> {
  try {
    return await inTransaction(db, (trx) => change(trx, key, patch, rights));
  } catch (error) {
    // Another transaction took the name meanwhile.
    if (hasSqlState(error, sqlState.uniqueViolation)) {
      return nameTaken(db, key, patch.name ?? '');
    }
    throw error;
  }
}

async function nameTaken(db: Db, { workspaceId, id }: ScheduleKey, name: string): Promise<SavedSchedule> {
  const by = await findSimilarName(db, 'schedules', { workspaceId, name, exceptId: id });
  return { result: 'name_taken', by };
}

async function change(
  trx: Transaction,
  key: ScheduleKey,
  patch: SchedulePatch,
  { userId, ...limits }: ScheduleLimits & { userId: string },
): Promise<SavedSchedule> {
  // Agents are locked before schedules wherever both are.
  const agents = [patch.agent_id, (await readSchedule(trx, key.id))?.agent_id].filter((id) => id != null);
  await keepAgents(trx, key.workspaceId, agents);
  const before = await lockSchedule(trx, key);
  if (before === null) {
    return { result: 'not_found' };
  }
  const wanted = wantedOf(before, patch);
  if (isDeepStrictEqual(wanted, wantedOf(before, {}))) {
    return { result: 'saved', schedule: before };
  }
  const { agent_id: agentId } = wanted;
  if (agentId === null) {
    const message = 'its agent was removed: name another one';
    return { result: 'refused', problems: [{ path: 'agent_id', code: 'agent_removed', message }] };
  }
  const input: ScheduleInput = { ...wanted, agent_id: agentId };
  const problems = await scheduleProblems(trx, key.workspaceId, input, limits);
  if (problems.length > 0) {
    return { result: 'refused', problems };
  }
  const schedule = await replaceSchedule(trx, before, input);
  if (schedule === null) {
    return nameTaken(trx, key, input.name);
  }
  const data = { ...decisionsOf(schedule), prompt_changed: schedule.prompt !== before.prompt };
  await appendAuditEvent(
    trx,
    auditOf('schedule.updated', schedule, { by: { type: 'user', id: userId }, data }),
  );
  return { result: 'saved', schedule };
}

/** A schedule as it would be after the change; its agent may be gone. */
const wantedOf = (before: Schedule, patch: SchedulePatch) => ({
  agent_id: patch.agent_id ?? before.agent_id,
  name: patch.name ?? before.name,
  spec: patch.spec ?? before.spec,
  time_zone: patch.time_zone ?? before.time_zone,
  prompt: patch.prompt ?? before.prompt,
  overlap: patch.overlap ?? before.overlap,
  catch_up_window_seconds: patch.catch_up_window_seconds ?? before.catch_up_window_seconds,
  request_expiry_seconds: patch.request_expiry_seconds ?? before.request_expiry_seconds,
});

/**
 * Removes a schedule with what is known of its runs; its sessions stay, and continue. False when the
 * workspace has none of that id.
 */
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
