import { type Session, session } from '../../contract/session.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { sessionColumns } from './row.ts';

const readStatement = `select ${sessionColumns.join(', ')} from sessions where id = $1`;

export async function readSession(db: Db, id: string): Promise<Session | null> {
  const [found] = await readRows(prepared(db, 'read_session', readStatement, [id]), session);
  return found ?? null;
}

/** Whether every member of the workspace may read the session. */
export async function isSharedWithWorkspace(db: Db, id: string): Promise<boolean> {
  const row = await db('sessions').where({ id }).first('shared_with_workspace');
  return row?.shared_with_workspace ?? false;
}
