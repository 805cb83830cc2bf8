import type { Session } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { type SessionRow, sessionColumns } from './row.ts';

export async function readSession(db: Db, id: string): Promise<Session | null> {
  const row = await db<SessionRow>('sessions')
    .where({ id })
    .first([...sessionColumns]);
  return row ?? null;
}

/** Whether every member of the workspace may read the session. */
export async function isSharedWithWorkspace(db: Db, id: string): Promise<boolean> {
  const row = await db<SessionRow>('sessions').where({ id }).first('shared_with_workspace');
  return row?.shared_with_workspace ?? false;
}
