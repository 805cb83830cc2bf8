/** Sessions that other sessions started: the rows below a parent. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type Session, session } from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { unfinishedStatus } from './list-unfinished.ts';
import { sessionColumns } from './row.ts';
import { withTree } from './tree.ts';

/** The id of the session that a call of its parent starts: of one call there is one child, however often the call arrives. */
export const childIdOf = (parentSessionId: string, callId: string): string =>
  derivedId(parentSessionId, callId, 'child');

export interface NewChild {
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

/** One session that this one started itself, or null: for any other session as for one that does not exist. */
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

/** Ended sessions that have a child which has neither ended nor been asked to. */
export async function listEndedWithChildren(db: Db): Promise<string[]> {
  const parents = db('sessions as child')
    .join('sessions as parent', 'parent.id', 'child.parent_session_id')
    .whereNotNull('parent.ended_at')
    .whereRaw(`child.${unfinishedStatus}`)
    .whereNull('child.requested_ending')
    .distinct('parent.id');
  return (await readRows(parents, z.object({ id: uuid }))).map(({ id }) => id);
}
