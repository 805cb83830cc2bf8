/** Lists of sessions, newest first. */
import type { Page, PageQuery } from '../../contract/page.ts';
import { type Session, type SessionStatus, type SessionWait, session } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { whereReadableBy } from './readable.ts';
import { listTree, type TreeOptions } from './tree.ts';
import { waitsFor } from './waits.ts';

export interface SessionFilter {
  status?: SessionStatus | undefined;
  agentId?: string | undefined;
  waitingFor?: SessionWait | undefined;
  /** Leaves out those that other sessions started. */
  rootsOnly?: boolean;
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
  if (filter.rootsOnly === true) {
    query.whereNull('parent_session_id');
  }
  const { readableBy } = filter;
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return pageByTime(db, query, session, 'created_at', page);
}

/** Every session below this one, at any depth, that this user may read. Throws InvalidCursorError. */
export async function listDescendants(db: Db, of: TreeOptions, page: PageQuery): Promise<Page<Session>> {
  const tree = await listTree(db, of);
  const query = db('sessions').whereIn(
    'id',
    tree.filter((id) => id !== of.sessionId),
  );
  const { readableBy } = of;
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return pageByTime(db, query, session, 'created_at', page);
}
