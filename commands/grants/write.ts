import type { ApprovalClaims } from '../../contract/approval.ts';
import { type Grant, parseGrantDetails } from '../../contract/grant.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Transaction } from '../../store/database.ts';
import { insertGrant } from '../../store/grants/insert.ts';
import { readGrant } from '../../store/grants/read.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { auditGrant } from './audit.ts';

/**
 * Writes the grant of a verified approval, with its audit event. Idempotent by id. A `once` grant
 * that answers a request is bound to the requesting session and to the tool that was refused there, and where
 * the approval says so to exactly that call.
 * Throws a ZodError for details that do not fit the type, and the database's error for a broken invariant.
 */
export async function writeGrant(
  trx: Transaction,
  approved: ApprovalClaims['grant'],
  passkey: UsedPasskey | null = null,
): Promise<Grant> {
  const request = await readAnswered(trx, approved);
  const details = parseGrantDetails(approved.grant_type, approved.details);
  const isNew = await insertGrant(trx, { ...approved, details }, approved.scope === 'once' ? request : null);
  const grant = await readGrant(trx, approved.id);
  if (grant === null) {
    throw new Error(`grant ${approved.id} was not stored`);
  }
  if (isNew) {
    const maker = { type: 'user', id: grant.granted_by_user_id } as const;
    await auditGrant(trx, 'grant.created', maker, grant, passkey === null ? {} : { passkey });
  }
  return grant;
}

/**
 * The request that it answers, of the same workspace; the database keeps no foreign key, so
 * that the grant outlives it.
 */
async function readAnswered(
  trx: Transaction,
  { request_id: id, workspace_id: workspaceId }: ApprovalClaims['grant'],
): Promise<PermissionRequest | null> {
  const request = id === null ? null : await readPermissionRequest(trx, id, { workspaceId });
  if (id !== null && request === null) {
    throw new Error(`permission request ${id} is not in workspace ${workspaceId}`);
  }
  return request;
}
