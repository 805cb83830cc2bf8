import { isDeepStrictEqual } from 'node:util';
import type { Schedule, ScheduleInput, SchedulePatch } from '../../contract/schedule.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, hasSqlState, inTransaction, sqlState, type Transaction } from '../../store/database.ts';
import { lockSchedule, replaceSchedule, type ScheduleKey } from '../../store/schedules/change.ts';
import { readSchedule } from '../../store/schedules/read.ts';
import { findSimilarName } from '../../store/shown-names.ts';
import { auditOf, decisionsOf } from './audit.ts';
import type { SavedSchedule, ScheduleLimits } from './create.ts';
import { scheduleProblems } from './problems.ts';

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
