/** Schedules, running and paused. */
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type PauseReason, type Schedule, type ScheduleInput, schedule } from '../../contract/schedule.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRow, readRows } from '../read-rows.ts';
import { namedOrNull } from '../sessions/context.ts';
import { findSimilarName, nameForms } from '../shown-names.ts';

const scheduleColumns = Object.keys(schedule.shape) as (keyof Schedule)[];

/**
 * A workspace's schedules, newest first; with `agentId` only those of an agent. Throws InvalidCursorError.
 */
export function listSchedules(
  db: Db,
  workspaceId: string,
  { agentId }: { agentId: string | undefined },
  page: PageQuery,
): Promise<Page<Schedule>> {
  const query = db('schedules').where({ workspace_id: workspaceId });
  if (agentId !== undefined) {
    query.where({ agent_id: agentId });
  }
  return pageByTime(db, query, schedule, 'created_at', page);
}

const running = schedule.pick({ id: true, name: true, spec: true, time_zone: true });

/** At most so many of a workspace's schedules that run, newest first: what says when. */
export function listRunningSchedules(
  db: Db,
  workspaceId: string,
  limit: number,
): Promise<z.infer<typeof running>[]> {
  const query = db('schedules')
    .where({ workspace_id: workspaceId })
    .whereNull('paused_at')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .select('id', 'name', 'spec', 'time_zone');
  return readRows(query, running);
}

export function readSchedule(db: Db, id: string): Promise<Schedule | null> {
  return readRow(db('schedules').where({ id }).first(scheduleColumns), schedule);
}

/** What Temporal's copy of a schedule has to say of itself. */
interface ScheduleState {
  id: string;
  version: number;
  isPaused: boolean;
}

/** Every schedule of the platform. */
export async function listScheduleStates(db: Db): Promise<ScheduleState[]> {
  const rows = await db('schedules').orderBy('id').select('id', 'version', 'paused_at');
  return rows.map(({ id, version, paused_at }) => ({ id, version, isPaused: paused_at !== null }));
}

const context = z.object({
  id: uuid,
  agent_id: uuid.nullable(),
  agent_name: z.string().nullable(),
  maker_id: uuid.nullable(),
  maker_name: z.string().nullable(),
});

/** The agent and the maker of each, by the schedule's id. */
export async function readScheduleContexts(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { agent: Named | null; maker: Named | null }>> {
  const query = db('schedules as s')
    .leftJoin('agents as a', 'a.id', 's.agent_id')
    .leftJoin('users as m', 'm.id', 's.maker_id')
    .whereIn('s.id', ids)
    .select({
      id: 's.id',
      agent_id: 'a.id',
      agent_name: 'a.name',
      maker_id: 'm.id',
      maker_name: 'm.name',
    });
  const rows = await readRows(query, context);
  return new Map(
    rows.map((found) => [
      found.id,
      {
        agent: namedOrNull(found.agent_id, found.agent_name),
        maker: namedOrNull(found.maker_id, found.maker_name),
      },
    ]),
  );
}

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
  const rows = await trx('schedules')
    .insert({ ...columnsOf(input), workspace_id: workspaceId, maker_id: makerId })
    .onConflict()
    .ignore()
    .returning(scheduleColumns);
  return rows[0] === undefined ? null : schedule.parse(rows[0]);
}

/**
 * Replaces what its maker decides. Null when another of the workspace has the name, or one that looks like
 * it.
 */
export async function replaceSchedule(
  trx: Transaction,
  { id, workspace_id: workspaceId }: Schedule,
  input: ScheduleInput,
): Promise<Schedule | null> {
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
