import type { ApprovalClaims } from '../../contract/approval.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Transaction } from '../database.ts';

/**
 * Inserts the row of a grant, bound to the session that asked and the tool that was refused there where
 * `bound` is that request, and to exactly the call that the approval names, if any. Returns whether it is
 * new: a grant with this id stays as it is. Throws the database's error for a broken invariant.
 */
export async function insertGrant(
  trx: Transaction,
  approved: ApprovalClaims['grant'],
  bound: PermissionRequest | null,
): Promise<boolean> {
  const inserted = await trx('grants')
    .insert({
      ...approved,
      details: JSON.stringify(approved.details),
      bound_session_id: bound?.session_id ?? null,
      bound_server: bound?.refused_call?.server ?? null,
      bound_tool: bound?.refused_call?.tool ?? null,
    })
    .onConflict('id')
    .ignore()
    .returning('id');
  return inserted.length > 0;
}
