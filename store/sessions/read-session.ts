import { type Session, session } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { sessionColumns } from './row.ts';

export function readSession(db: Db, id: string): Promise<Session | null> {
  return readRow(db('sessions').where({ id }).first(sessionColumns), session);
}

/** Whether every member of the workspace may read the session. */
export async function isSharedWithWorkspace(db: Db, id: string): Promise<boolean> {
  const row = await db('sessions').where({ id }).first('shared_with_workspace');
  return row?.shared_with_workspace ?? false;
}
