/** Permission requests, from the question to its end. */
import type { Knex } from 'knex';
import * as z from 'zod';
import { type GrantInput, subjectMatter } from '../../contract/grant.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import {
  type PermissionRequest,
  type PermissionRequestInput,
  permissionRequest,
  type RefusedCall,
  type RequestStatus,
} from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readableCondition } from '../sessions/conditions.ts';

const requestRow = z.object({
  id: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  grant_type: z.string(),
  details: z.unknown(),
  scope: z.string(),
  justification: z.string(),
  refused_server: z.string().nullable(),
  refused_tool: z.string().nullable(),
  call_digest: z.string().nullable(),
  call_size_bytes: z.int().nullable(),
  status: z.string(),
  grant_id: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  reason: z.string().nullable(),
  created_at: z.string(),
  expires_at: z.string(),
});
type RequestRow = z.infer<typeof requestRow>;
const requestColumns = Object.keys(requestRow.shape) as (keyof RequestRow)[];

function presentRequest(row: RequestRow): PermissionRequest {
  const {
    refused_server: server,
    refused_tool: tool,
    call_digest: digest,
    call_size_bytes: size,
    ...rest
  } = row;
  return permissionRequest.parse({
    ...rest,
    refused_call:
      server === null || tool === null ? null : { server, tool, digest, arguments_size_bytes: size },
  });
}

export function requestResource(request: PermissionRequest) {
  return {
    type: 'permission_request',
    id: request.id,
    name: subjectMatter(request.grant_type, request.details),
  };
}

/**
 * One request, or null; with `workspaceId` and `readableBy` only when it is of that workspace and for that
 * user to see.
 */
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

interface RequestFilter {
  status?: RequestStatus | undefined;
  sessionId?: string | undefined;
  /** Of any of these sessions. */
  sessionIds?: readonly string[];
  /** Asked not before this time. */
  from?: string | undefined;
  /**
   * Only what this user may see without being an admin: requests of sessions they may read, and of agents
   * they own.
   */
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
  if (filter.from !== undefined) {
    query.where('created_at', '>=', filter.from);
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

/**
 * The oldest open request that matches this grant in every field, so that the grant answers it without naming
 * it; with `readableBy`, of a session that this user may read without being an admin.
 */
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

interface Asked extends PermissionRequestInput {
  request_id: string;
  refused_call: RefusedCall | null;
}

/**
 * The request with this id, else the session's open one that is equal in every field and about the same call,
 * or null.
 */
export async function findKnownRequest(
  trx: Transaction,
  sessionId: string,
  asked: Asked,
): Promise<{ id: string; session_id: string; expires_at: string } | null> {
  const found = await trx('permission_requests')
    .where({ id: asked.request_id })
    .orWhere((same) =>
      same
        .where({
          session_id: sessionId,
          grant_type: asked.grant_type,
          scope: asked.scope,
          status: 'open',
        })
        .whereRaw('details = ?::jsonb', [JSON.stringify(asked.details)])
        .whereRaw(`coalesce(call_digest, '') = ?`, [asked.refused_call?.digest ?? '']),
    )
    .orderByRaw('(id = ?) desc', [asked.request_id])
    .first('id', 'session_id', 'expires_at');
  return found ?? null;
}

/** Inserts an open request, which expires after this time. */
export async function insertRequest(
  trx: Transaction,
  { session, asked, expirySeconds }: { session: Session; asked: Asked; expirySeconds: number },
): Promise<PermissionRequest> {
  await trx('permission_requests').insert({
    id: asked.request_id,
    workspace_id: session.workspace_id,
    session_id: session.id,
    agent_id: session.agent_id,
    grant_type: asked.grant_type,
    details: JSON.stringify(asked.details),
    scope: asked.scope,
    justification: asked.justification,
    refused_server: asked.refused_call?.server ?? null,
    refused_tool: asked.refused_call?.tool ?? null,
    call_digest: asked.refused_call?.digest ?? null,
    call_size_bytes: asked.refused_call?.arguments_size_bytes ?? null,
    expires_at: trx.raw(`now() + make_interval(secs => ?)`, [expirySeconds]),
  });
  const request = await readPermissionRequest(trx, asked.request_id);
  if (request === null) {
    throw new Error(`permission request ${asked.request_id} was not stored`);
  }
  return request;
}

/** The session that asked, or null when there is no such request. */
export async function findSessionOfRequest(trx: Transaction, id: string): Promise<string | null> {
  const found = await trx('permission_requests').where({ id }).first('session_id');
  return found?.session_id ?? null;
}

/** Writes how an open request ended; null, and nothing written, for one that is not open. */
export async function closeOpenRequest(
  trx: Transaction,
  id: string,
  ended: { status: RequestStatus; decidedBy: string | null; reason: string | null; grantId: string | null },
): Promise<{ request: PermissionRequest; workspaceId: string } | null> {
  const [row] = await trx('permission_requests')
    .where({ id, status: 'open' })
    .update({
      status: ended.status,
      decided_by: ended.decidedBy,
      decided_at: trx.raw('now()'),
      reason: ended.reason,
      grant_id: ended.grantId,
    })
    .returning(['workspace_id', ...requestColumns]);
  if (row === undefined) {
    return null;
  }
  const { workspace_id: workspaceId, ...rest } = row;
  return { request: presentRequest(rest), workspaceId };
}
