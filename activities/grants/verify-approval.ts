/** The one place where a human's approval is believed: by its signature, and only for what it names. */
import { type CryptoKey, compactVerify } from 'jose';
import { type ApprovalClaims, approvalClaims } from '../../contract/approval.ts';
import { detailsByGrantType } from '../../contract/grant.ts';
import { approvalExpired, approvalInvalid } from '../failures.ts';

/** The fields of a decision row that its approval must agree with. */
export interface ApprovedDecision {
  id: string;
  workspaceId: string;
  requestId: string | null;
  userId: string;
  approval: string | null;
}

/**
 * Returns the claims of a decision's approval. Throws `approval_invalid` when the signature is not the API's
 * or the approval is another decision's. Expiry is checked separately (`refuseExpired`): an approval that was
 * carried out in time stays carried out.
 */
export async function verifyApproval(
  publicKey: CryptoKey,
  decision: ApprovedDecision,
): Promise<ApprovalClaims> {
  const claims = await readClaims(publicKey, decision.approval ?? '');
  const agrees =
    claims.jti === decision.id &&
    claims.grant.workspace_id === decision.workspaceId &&
    claims.grant.granted_by_user_id === decision.userId &&
    claims.grant.request_id === decision.requestId &&
    detailsByGrantType[claims.grant.grant_type].safeParse(claims.grant.details).success;
  if (!agrees) {
    throw approvalInvalid('The approval does not belong to this decision');
  }
  return claims;
}

async function readClaims(publicKey: CryptoKey, approval: string): Promise<ApprovalClaims> {
  try {
    const { payload } = await compactVerify(approval, publicKey, { algorithms: ['EdDSA'] });
    return approvalClaims.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
  } catch {
    throw approvalInvalid('The approval was not signed by the platform');
  }
}

/** Throws `approval_expired` once the approval is older than it may be. */
export function refuseExpired(claims: ApprovalClaims, nowMs: number): void {
  if (nowMs >= claims.exp * 1000) {
    throw approvalExpired();
  }
}
