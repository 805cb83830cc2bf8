import type { Transaction } from '../../store/database.ts';
import { type Decision, wasCarriedOut } from '../../store/decisions/decisions.ts';
import { lockMembers } from '../../store/members/members.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { closePermissionRequest } from '../permission-requests/close.ts';
import { setRequestsMuted } from '../sessions/mute-requests.ts';

/**
 * Denies the decision's request, and mutes its session where the decision says so. Only a member decides.
 * Idempotent: a decision that was carried out changes nothing. Any other denial of the same request was
 * first, whoever made it: its reason counts, and whether it mutes. Returns why the request is not denied, or
 * null; nothing is changed then.
 */
export async function deny(
  trx: Transaction,
  decision: Decision,
): Promise<'decider_left' | 'already_decided' | null> {
  const { userId, workspaceId, reason } = decision;
  const requestId = decision.requestId ?? '';
  if (!(await lockMembers(trx, workspaceId, [userId])).has(userId)) {
    return 'decider_left';
  }
  const closed = await closePermissionRequest(trx, requestId, {
    status: 'denied',
    decidedBy: userId,
    reason,
  });
  if (!closed) {
    return (await wasCarriedOut(trx, decision.id)) ? null : 'already_decided';
  }
  const request = await readPermissionRequest(trx, requestId);
  if (decision.mutesSession && request !== null) {
    await setRequestsMuted(trx, request.session_id, { muted: true, by: { type: 'user', id: userId } });
  }
  return null;
}
