import type { Page, PageQuery } from '../../contract/page.ts';
import type { PermissionRequest, RequestStatus } from '../../contract/permission-request.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { presentRequest, type RequestRow, requestColumns } from './row.ts';

/** One request, or null; with `workspaceId` only when it is of that workspace. */
export async function readPermissionRequest(
  db: Db,
  id: string,
  within: { workspaceId?: string } = {},
): Promise<PermissionRequest | null> {
  const query = db<RequestRow>('permission_requests').where({ id });
  if (within.workspaceId !== undefined) {
    query.where('workspace_id', within.workspaceId);
  }
  const row = await query.first([...requestColumns]);
  return row === undefined ? null : presentRequest(row);
}

export interface RequestFilter {
  status?: RequestStatus | undefined;
  sessionId?: string | undefined;
  /** Only requests of sessions that this user may read without being an admin (design 4). */
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
  const { readableBy } = filter;
  if (readableBy !== undefined) {
    query.whereIn('session_id', (sessions) =>
      sessions
        .select('id')
        .from('sessions')
        .where('operator_id', readableBy)
        .orWhere('root_operator_id', readableBy)
        .orWhere('shared_with_workspace', true),
    );
  }
  const { items, nextCursor } = await pageByTime<RequestRow>(db, query, requestColumns, 'created_at', page);
  return { items: items.map(presentRequest), nextCursor };
}

export async function listOpenRequestsOfSession(db: Db, sessionId: string): Promise<PermissionRequest[]> {
  const rows = await db<RequestRow>('permission_requests')
    .where({ session_id: sessionId, status: 'open' })
    .orderBy('created_at')
    .select([...requestColumns]);
  return rows.map(presentRequest);
}
