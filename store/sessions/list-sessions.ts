/** Lists of sessions, newest first. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Session, type SessionStatus, type SessionWait, session } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { readRows } from '../read-rows.ts';
import { whereReadableBy } from './readable.ts';
import { waitsFor } from './waits.ts';

export interface SessionFilter {
  status?: SessionStatus | undefined;
  agentId?: string | undefined;
  waitingFor?: SessionWait | undefined;
  /** Only what this user may read without being an admin: own sessions, and those shared with the workspace. */
  readableBy?: string | undefined;
}

/** Throws InvalidCursorError. */
export function listSessions(
  db: Db,
  workspaceId: string,
  filter: SessionFilter,
  page: PageQuery,
): Promise<Page<Session>> {
  const query = db('sessions as s').where({ workspace_id: workspaceId });
  if (filter.status !== undefined) {
    query.where('status', filter.status);
  }
  if (filter.agentId !== undefined) {
    query.where('agent_id', filter.agentId);
  }
  if (filter.waitingFor !== undefined) {
    query.whereRaw(waitsFor(db, filter.waitingFor));
  }
  const { readableBy } = filter;
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return pageByTime(db, query, session, 'created_at', page);
}

/** Every session below this one, at any depth. Throws InvalidCursorError. */
export async function listDescendants(db: Db, sessionId: string, page: PageQuery): Promise<Page<Session>> {
  const statement = db.raw(
    `with recursive below as (
       select id from sessions where parent_session_id = ?
       union select s.id from sessions s join below on s.parent_session_id = below.id
     ) select id from below`,
    [sessionId],
  );
  const below = await readRows(statement, z.object({ id: uuid }));
  const query = db('sessions').whereIn(
    'id',
    below.map(({ id }) => id),
  );
  return pageByTime(db, query, session, 'created_at', page);
}
