import type { Knex } from 'knex';
import type { ApprovalClaims } from '../../contract/approval.ts';
import { type Grant, parseGrantDetails } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { readPermissionRequest } from '../permission-requests/read.ts';
import { auditGrant } from './audit.ts';
import { readGrant } from './read.ts';

/**
 * Writes the grant of a verified approval, with its audit event. Idempotent by id. A `once` grant
 * that answers a request is bound to the requesting session and to the call that was refused there.
 * Throws a ZodError for details that do not fit the type, and the database's error for a broken invariant.
 */
export async function insertGrant(trx: Knex.Transaction, approved: ApprovalClaims['grant']): Promise<Grant> {
  const request = await readAnswered(trx, approved);
  const bound = approved.scope === 'once' ? request : null;
  const inserted = await trx('grants')
    .insert({
      ...approved,
      details: JSON.stringify(parseGrantDetails(approved.grant_type, approved.details)),
      bound_session_id: bound?.session_id ?? null,
      bound_server: bound?.refused_call?.server ?? null,
      bound_tool: bound?.refused_call?.tool ?? null,
    })
    .onConflict('id')
    .ignore()
    .returning('id');
  const grant = await readGrant(trx, approved.id);
  if (grant === null) {
    throw new Error(`grant ${approved.id} was not stored`);
  }
  if (inserted.length > 0) {
    await auditGrant(trx, 'grant.created', { type: 'user', id: grant.granted_by_user_id }, grant);
  }
  return grant;
}

/** The request that it answers, of the same workspace; the database keeps no foreign key, so that the grant outlives it. */
async function readAnswered(
  trx: Knex.Transaction,
  { request_id: id, workspace_id: workspaceId }: ApprovalClaims['grant'],
): Promise<PermissionRequest | null> {
  const request = id === null ? null : await readPermissionRequest(trx, id, { workspaceId });
  if (id !== null && request === null) {
    throw new Error(`permission request ${id} is not in workspace ${workspaceId}`);
  }
  return request;
}
