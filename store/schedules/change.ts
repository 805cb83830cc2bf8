/** Statements that write and lock schedules. Each takes a transaction. */
import type { PauseReason, Schedule, ScheduleInput } from '../../contract/schedule.ts';
import { schedule } from '../../contract/schedule.ts';
import type { Transaction } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { findSimilarName, foldNames, nameForms } from '../shown-names.ts';
import { scheduleColumns } from './row.ts';

export interface ScheduleKey {
  workspaceId: string;
  id: string;
}

/** The schedule, locked until the transaction ends; null when the workspace has none of that id. */
export function lockSchedule(trx: Transaction, { workspaceId, id }: ScheduleKey): Promise<Schedule | null> {
  const query = trx('schedules').where({ workspace_id: workspaceId, id }).forNoKeyUpdate();
  return readRow(query.first(scheduleColumns), schedule);
}

/** Those that still run of a maker, of an agent or in a workspace, locked, always in the same order. */
export function lockRunningSchedules(
  trx: Transaction,
  of: { agentId: string } | { workspaceId: string; makerId?: string },
): Promise<Schedule[]> {
  const whose =
    'agentId' in of
      ? { agent_id: of.agentId }
      : { workspace_id: of.workspaceId, ...(of.makerId === undefined ? {} : { maker_id: of.makerId }) };
  const query = trx('schedules').where(whose).whereNull('paused_at').orderBy('id').forNoKeyUpdate();
  return readRows(query.select(scheduleColumns), schedule);
}

const columnsOf = ({ spec, ...rest }: ScheduleInput) => ({
  ...rest,
  ...nameForms(rest.name),
  spec: JSON.stringify(spec),
});

/** Null when the workspace has one of that name, or of one that looks like it. */
export async function insertSchedule(
  trx: Transaction,
  { workspaceId, makerId }: { workspaceId: string; makerId: string },
  input: ScheduleInput,
): Promise<Schedule | null> {
  await foldNames(trx, 'schedules', workspaceId);
  const rows = await trx('schedules')
    .insert({ ...columnsOf(input), workspace_id: workspaceId, maker_id: makerId })
    .onConflict()
    .ignore()
    .returning(scheduleColumns);
  return rows[0] === undefined ? null : schedule.parse(rows[0]);
}

/** Replaces what its maker decides. Null when another of the workspace has the name, or one that looks like it. */
export async function replaceSchedule(
  trx: Transaction,
  { id, workspace_id: workspaceId }: Schedule,
  input: ScheduleInput,
): Promise<Schedule | null> {
  await foldNames(trx, 'schedules', workspaceId);
  const taken = await findSimilarName(trx, 'schedules', { workspaceId, name: input.name, exceptId: id });
  return taken === null ? changed(trx, id, columnsOf(input)) : null;
}

export function pause(
  trx: Transaction,
  id: string,
  { reason, note }: { reason: PauseReason; note: string | null },
): Promise<Schedule> {
  return changed(trx, id, { paused_at: trx.fn.now(), pause_reason: reason, pause_note: note });
}

/** Continues it, from now on for this maker. */
export function resume(trx: Transaction, id: string, makerId: string): Promise<Schedule> {
  return changed(trx, id, { paused_at: null, pause_reason: null, pause_note: null, maker_id: makerId });
}

async function changed(trx: Transaction, id: string, columns: object): Promise<Schedule> {
  const rows = await trx('schedules')
    .where({ id })
    .update({ ...columns, version: trx.raw('version + 1'), updated_at: trx.fn.now() })
    .returning(scheduleColumns);
  return schedule.parse(rows[0]);
}

export async function deleteSchedule(trx: Transaction, id: string): Promise<void> {
  await trx('schedules').where({ id }).delete();
}
