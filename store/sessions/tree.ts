/** Sessions above and below one: its tree, which is locked as a whole. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { type Named, uuid } from '../../contract/names.ts';
import { type Session, session } from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { derivedId } from '../session-events/append.ts';
import { unfinishedStatus, whereReadableBy } from './conditions.ts';
import { sessionColumns } from './sessions.ts';

/**
 * Prefix of a statement over `tree`: the ids of a root and of every session below it. Takes `:rootSessionId`.
 */
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

/**
 * Ids of the session and of every one below it, at any depth; none for a session that is unknown there, or
 * not for this user to read.
 */
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

/**
 * The session and its ancestors, root first. Code that locks or writes several sessions of a tree must use
 * this order, to avoid deadlocks.
 */
export async function lineageOf(db: Db, sessionId: string): Promise<string[]> {
  const statement = db.raw(
    `with recursive up as (
       select id, parent_session_id, 0 as distance from sessions where id = ?
       union all
       select s.id, s.parent_session_id, up.distance + 1 from sessions s join up on s.id = up.parent_session_id
     ) select id from up order by distance desc`,
    [sessionId],
  );
  const rows = await readRows(statement, z.object({ id: uuid }));
  return rows.map(({ id }) => id);
}

/**
 * Serialises transactions that write to several sessions of a tree: permission requests, messages between
 * sessions, starts of children, and ends. Each takes this lock before the row of any session below the root,
 * so that none waits for another that waits for it. Returns the session and its ancestors, root first.
 */
export async function lockTree(trx: Knex.Transaction, sessionId: string): Promise<string[]> {
  const lineage = await lineageOf(trx, sessionId);
  await trx('sessions')
    .where({ id: lineage[0] ?? sessionId })
    .forNoKeyUpdate()
    .select('id');
  return lineage;
}

/**
 * The id of the session that a call of its parent starts: of one call there is one child, however often the
 * call arrives.
 */
export const childIdOf = (parentSessionId: string, callId: string): string =>
  derivedId(parentSessionId, callId, 'child');

interface NewChild {
  sessionId: string;
  /** The spawn grant that it was started under. */
  grantId: string;
  label: string | null;
}

/** Records how a session was started. */
export async function insertChild(trx: Transaction, child: NewChild): Promise<void> {
  await trx('child_sessions').insert({
    session_id: child.sessionId,
    grant_id: child.grantId,
    label: child.label,
  });
}

/**
 * One session that this one started itself, or null: for any other session as for one that does not exist.
 */
export async function readChild(db: Db, parentSessionId: string, id: string): Promise<Session | null> {
  return readRow(
    db('sessions').where({ id, parent_session_id: parentSessionId }).first(sessionColumns),
    session,
  );
}

/** Ids of the sessions that this one started and that have not ended. */
export async function listUnfinishedChildren(db: Db, parentSessionId: string): Promise<string[]> {
  const rows = await db('sessions')
    .where({ parent_session_id: parentSessionId })
    .whereRaw(unfinishedStatus)
    .orderBy('id')
    .select('id');
  return rows.map(({ id }) => id);
}

/** How many sessions a tree has, its root and those that have ended included. */
export async function countInTree(db: Db, rootSessionId: string): Promise<number> {
  const statement = db.raw(`${withTree} select count(*)::int as count from tree`, { rootSessionId });
  return onlyRow(await readRows(statement, z.object({ count: z.int() }))).count;
}

/** The parent of a session; null for one without. */
export async function readParentId(db: Db, sessionId: string): Promise<string | null> {
  const row = await db('sessions').where({ id: sessionId }).first('parent_session_id');
  return uuid.nullable().parse(row?.parent_session_id ?? null);
}

/**
 * Sets whether a session is muted. Returns whose session it is, or null when it was so already or the session
 * has ended.
 */
export async function updateRequestsMuted(
  db: Db,
  sessionId: string,
  muted: boolean,
): Promise<{ workspaceId: string; agentId: string } | null> {
  const [changed] = await db('sessions')
    .where({ id: sessionId, permission_requests_muted: !muted })
    .whereNull('ended_at')
    .update({ permission_requests_muted: muted })
    .returning(['workspace_id', 'agent_id']);
  return changed === undefined ? null : { workspaceId: changed.workspace_id, agentId: changed.agent_id };
}

/** Whether one of these sessions is muted. */
export async function isAnyMuted(db: Db, sessionIds: readonly string[]): Promise<boolean> {
  const muted = await db('sessions')
    .whereIn('id', sessionIds)
    .where({ permission_requests_muted: true })
    .first('id');
  return muted !== undefined;
}
