/** Lists of sessions, newest first. */
import { z } from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Session, SessionStatus, SessionWait } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { type SessionRow, sessionColumns } from './row.ts';
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
  const query = db<SessionRow>('sessions as s').where({ workspace_id: workspaceId });
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
    query.where((either) =>
      either
        .where('operator_id', readableBy)
        .orWhere('root_operator_id', readableBy)
        .orWhere('shared_with_workspace', true),
    );
  }
  return pageByTime<Session>(db, query, sessionColumns, 'created_at', page);
}

/** Every session below this one, at any depth. Throws InvalidCursorError. */
export async function listDescendants(db: Db, sessionId: string, page: PageQuery): Promise<Page<Session>> {
  const { rows } = await db.raw(
    `with recursive below as (
       select id from sessions where parent_session_id = ?
       union select s.id from sessions s join below on s.parent_session_id = below.id
     ) select id from below`,
    [sessionId],
  );
  const ids = z.array(z.object({ id: z.string() })).parse(rows);
  const query = db<SessionRow>('sessions').whereIn(
    'id',
    ids.map(({ id }) => id),
  );
  return pageByTime<Session>(db, query, sessionColumns, 'created_at', page);
}
