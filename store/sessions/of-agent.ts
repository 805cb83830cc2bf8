/** Sessions that go with an agent when it is removed. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { unfinishedStatus } from './list-unfinished.ts';

/** Prefix of a statement over `affected`: the agent's sessions, and all below them. Takes the agent's id. */
export const withSessionsOfAgent = `
  with recursive affected as (
    select * from sessions where agent_id = ?
    union
    select s.* from sessions s join affected on s.parent_session_id = affected.id
  )`;

const unfinished = z.object({ id: uuid, agentName: z.string() });

/** Those of them that have not ended, `limit` at most, each with the name of its own agent. */
export function listUnfinishedSessionsOfAgent(
  db: Db,
  agentId: string,
  limit: number,
): Promise<z.infer<typeof unfinished>[]> {
  const statement = db.raw(
    `${withSessionsOfAgent}
     select affected.id, a.name as "agentName" from affected join agents a on a.id = affected.agent_id
     where ${unfinishedStatus} limit ?`,
    [agentId, limit],
  );
  return readRows(statement, unfinished);
}
