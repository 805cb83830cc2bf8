/** Sessions that go with an agent when it is removed. */
import * as z from 'zod';
import type { RemovedWithAgent } from '../../contract/agent.ts';
import { uuid } from '../../contract/names.ts';
import { type Session, session } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { unfinishedStatus } from './conditions.ts';
import { sessionColumns } from './sessions.ts';

/** Prefix of a statement over `affected`: the agent's sessions, and all below them. Takes the agent's id. */
export const withSessionsOfAgent = `
  with recursive affected as (
    select * from sessions where agent_id = ?
    union
    select s.* from sessions s join affected on s.parent_session_id = affected.id
  )`;

/** Ids of the agent's own sessions that have not ended. */
export async function listOwnUnfinishedSessions(db: Db, agentId: string): Promise<string[]> {
  const rows = await db('sessions')
    .where({ agent_id: agentId })
    .whereRaw(unfinishedStatus)
    .orderBy('id')
    .select('id');
  return rows.map(({ id }) => id);
}

/** The operator's last session of the agent that has not ended, or null. */
export function findUnfinishedOf(
  db: Db,
  { agentId, operatorId }: { agentId: string; operatorId: string },
): Promise<Session | null> {
  const query = db('sessions')
    .where({ agent_id: agentId, operator_id: operatorId })
    .whereRaw(unfinishedStatus)
    .orderBy('created_at', 'desc')
    .first(sessionColumns);
  return readRow(query, session);
}

/** The id of the operator's last session of the agent, however it went; null where there was none. */
export async function findLastIdOf(
  db: Db,
  { agentId, operatorId }: { agentId: string; operatorId: string },
): Promise<string | null> {
  const row = await db('sessions')
    .where({ agent_id: agentId, operator_id: operatorId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first('id');
  return row?.id ?? null;
}

const removal = z.object({
  sessions: z.int(),
  artifacts: z.int(),
  permission_requests: z.int(),
  grants: z.int(),
  schedules: z.int(),
});

/** What goes with the agent when it is deleted. */
export async function countWhatGoes(db: Db, agentId: string): Promise<RemovedWithAgent> {
  const statement = db.raw(
    `${withSessionsOfAgent}
     select (select count(*) from affected) as sessions,
       (select count(*) from artifacts where session_id in (select id from affected)) as artifacts,
       (select count(*) from permission_requests
         where session_id in (select id from affected) or agent_id = ?) as permission_requests,
       (select count(*) from grants
         where agent_subject_id = ? or session_id in (select id from affected)) as grants,
       (select count(*) from schedules where agent_id = ?) as schedules`,
    [agentId, agentId, agentId, agentId],
  );
  return onlyRow(await readRows(statement, removal));
}

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
