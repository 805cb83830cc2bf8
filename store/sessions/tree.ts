/** Trees of sessions: what is above a session, and what is below it. */
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { whereReadableBy } from './readable.ts';

/** Prefix of a statement over `tree`: the ids of a root and of every session below it. Takes `:rootSessionId`. */
export const withTree = `
  with recursive tree as (
    select id from sessions where id = :rootSessionId
    union all select s.id from sessions s join tree on s.parent_session_id = tree.id
  )`;

/** A session on the way from a root down to another one, with what decides who may read it. */
export interface LineageMember {
  id: string;
  agent: Named;
  /** What the session above called it. */
  label: string | null;
  operator_id: string | null;
  root_operator_id: string | null;
  schedule_maker_id: string | null;
  isShared: boolean;
}

const lineageRow = z.object({
  of: uuid,
  id: uuid,
  agent_id: uuid,
  agent_name: z.string(),
  label: z.string().nullable(),
  operator_id: uuid.nullable(),
  root_operator_id: uuid.nullable(),
  schedule_maker_id: uuid.nullable(),
  shared_with_workspace: z.boolean(),
});

/** Each of the sessions with its ancestors, root first, by its id. One statement for all of them. */
export async function readLineages(
  db: Db,
  sessionIds: readonly string[],
): Promise<Map<string, LineageMember[]>> {
  if (sessionIds.length === 0) {
    return new Map();
  }
  const statement = db.raw(
    `with recursive up as (
       select id as of, id, parent_session_id, 0 as distance from sessions where id = any(?::uuid[])
       union all
       select up.of, s.id, s.parent_session_id, up.distance + 1
       from sessions s join up on s.id = up.parent_session_id
     )
     select up.of, s.id, a.id as agent_id, a.name as agent_name, c.label,
       s.operator_id, s.root_operator_id, s.schedule_maker_id, s.shared_with_workspace
     from up join sessions s on s.id = up.id join agents a on a.id = s.agent_id
       left join child_sessions c on c.session_id = s.id
     order by up.of, up.distance desc`,
    [[...new Set(sessionIds)]],
  );
  const lineages = new Map<string, LineageMember[]>();
  for (const row of await readRows(statement, lineageRow)) {
    const lineage = lineages.get(row.of) ?? [];
    lineage.push({
      id: row.id,
      agent: { id: row.agent_id, name: row.agent_name },
      label: row.label,
      operator_id: row.operator_id,
      root_operator_id: row.root_operator_id,
      schedule_maker_id: row.schedule_maker_id,
      isShared: row.shared_with_workspace,
    });
    lineages.set(row.of, lineage);
  }
  return lineages;
}

export interface TreeOptions {
  sessionId: string;
  workspaceId: string;
  /** Only when this user may read the session at the top without being an admin. */
  readableBy?: string | undefined;
}

/** Ids of the session and of every one below it, at any depth; none for a session that is unknown there, or not for this user to read. */
export async function listTree(
  db: Db,
  { sessionId, workspaceId, readableBy }: TreeOptions,
): Promise<string[]> {
  const top = db('sessions').where({ id: sessionId, workspace_id: workspaceId }).select('id');
  if (readableBy !== undefined) {
    top.where((either) => whereReadableBy(either, readableBy));
  }
  const statement = db.raw(
    `with recursive tree as (
       select id from (?) top
       union select s.id from sessions s join tree on s.parent_session_id = tree.id
     ) select id from tree`,
    [top],
  );
  return (await readRows(statement, z.object({ id: uuid }))).map(({ id }) => id);
}
