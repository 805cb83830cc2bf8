import type { Knex } from 'knex';
import type { GrantInput } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { PermissionRequest, RequestStatus } from '../../contract/permission-request.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { readableCondition } from '../sessions/readable.ts';
import { presentRequest, requestColumns, requestRow } from './row.ts';

/** One request, or null; with `workspaceId` and `readableBy` only when it is of that workspace and for that user to see. */
export async function readPermissionRequest(
  db: Db,
  id: string,
  within: { workspaceId?: string; readableBy?: string | undefined } = {},
): Promise<PermissionRequest | null> {
  const query = db('permission_requests').where({ id });
  if (within.workspaceId !== undefined) {
    query.where('workspace_id', within.workspaceId);
  }
  if (within.readableBy !== undefined) {
    restrictToReadable(query, within.readableBy);
  }
  const row = await query.first(requestColumns);
  return row === undefined ? null : presentRequest(row);
}

export interface RequestFilter {
  status?: RequestStatus | undefined;
  sessionId?: string | undefined;
  /** Of any of these sessions. */
  sessionIds?: readonly string[];
  /** Only what this user may see without being an admin: requests of sessions they may read, and of agents they own. */
  readableBy?: string | undefined;
}

/** Newest first. Throws InvalidCursorError. */
export async function listPermissionRequests(
  db: Db,
  workspaceId: string,
  filter: RequestFilter,
  page: PageQuery,
): Promise<Page<PermissionRequest>> {
  const query = db('permission_requests').where({ workspace_id: workspaceId });
  if (filter.status !== undefined) {
    query.where('status', filter.status);
  }
  if (filter.sessionId !== undefined) {
    query.where('session_id', filter.sessionId);
  }
  if (filter.sessionIds !== undefined) {
    query.whereIn('session_id', filter.sessionIds);
  }
  const { readableBy } = filter;
  if (readableBy !== undefined) {
    restrictToReadable(query, readableBy);
  }
  const { items, nextCursor } = await pageByTime(db, query, requestRow, 'created_at', page);
  return { items: items.map(presentRequest), nextCursor };
}

function restrictToReadable(query: Knex.QueryBuilder, userId: string): void {
  query.whereRaw(
    `(session_id in (select id from sessions where ${readableCondition})
      or agent_id in (select id from agents where owner_id = :userId))`,
    { userId },
  );
}

export async function listOpenRequestsOfSession(db: Db, sessionId: string): Promise<PermissionRequest[]> {
  const rows = await db('permission_requests')
    .where({ session_id: sessionId, status: 'open' })
    .orderBy('created_at')
    .select(requestColumns);
  return rows.map(presentRequest);
}

/** The oldest open request that matches this grant in every field, so that the grant answers it without naming it; with `readableBy`, of a session that this user may read without being an admin. */
export async function findEqualOpenRequest(
  db: Db,
  workspaceId: string,
  grant: Pick<GrantInput, 'agent_subject_id' | 'grant_type' | 'details' | 'scope' | 'session_id'>,
  { readableBy }: { readableBy: string | undefined },
): Promise<PermissionRequest | null> {
  if (grant.agent_subject_id === null) {
    return null;
  }
  const query = db('permission_requests')
    .where({
      workspace_id: workspaceId,
      agent_id: grant.agent_subject_id,
      grant_type: grant.grant_type,
      scope: grant.scope,
      status: 'open',
    })
    .whereRaw('details = ?::jsonb', [JSON.stringify(grant.details)])
    .orderBy('created_at');
  if (grant.session_id !== null) {
    query.where('session_id', grant.session_id);
  }
  if (readableBy !== undefined) {
    query.whereRaw(`session_id in (select id from sessions where ${readableCondition})`, {
      userId: readableBy,
    });
  }
  const row = await query.first(requestColumns);
  return row === undefined ? null : presentRequest(row);
}
