/** Reading schedules. */
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Schedule, schedule } from '../../contract/schedule.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { readRow, readRows } from '../read-rows.ts';
import { namedOrNull } from '../sessions/context.ts';
import { scheduleColumns } from './row.ts';

/** A workspace's schedules, newest first; with `agentId` only those of an agent. Throws InvalidCursorError. */
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

export function readSchedule(db: Db, id: string): Promise<Schedule | null> {
  return readRow(db('schedules').where({ id }).first(scheduleColumns), schedule);
}

/** What Temporal's copy of a schedule has to say of itself. */
export interface ScheduleState {
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
