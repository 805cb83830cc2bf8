import type { ApprovalClaims } from '../../contract/approval.ts';
import { scopeWidth } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import type { Transaction } from '../../store/database.ts';
import type { Decision } from '../../store/decisions/decisions.ts';
import { lockMembers } from '../../store/members/members.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { writeGrant } from '../grants/write.ts';
import { markApproved } from '../permission-requests/close.ts';

type NewGrant = ApprovalClaims['grant'];

/** `differs`: the request asked for something else, or for less, or is about another call. */
export type ApprovalRefusal =
  | 'decider_left'
  | 'subject_left'
  /** The agent that would hold the grant, or that it would let another one start. */
  | 'agent_archived'
  | 'workspace_closed'
  | 'differs'
  | 'already_decided';

/**
 * Answers the decision's request, if there is one, and writes the grant of its verified approval: only the
 * activity that verified it may call this (docs/grants.md#who-writes-one). Returns why nothing was granted,
 * or null; the caller then takes back what was changed. Membership is checked at each use: a removed member
 * can neither decide nor be granted anything. Members stay members until the transaction ends, so that a
 * removal finds the grant. `passkey`: the one that its maker confirmed it with.
 */
export async function approve(
  trx: Transaction,
  decision: Decision,
  grant: NewGrant,
  passkey: UsedPasskey | null = null,
): Promise<ApprovalRefusal | null> {
  const { userId, workspaceId, requestId, reason } = decision;
  const subjectId = grant.user_subject_id;
  if (!(await keepWorkspaceOpen(trx, workspaceId))) {
    return 'workspace_closed';
  }
  const members = await lockMembers(trx, workspaceId, subjectId === null ? [userId] : [userId, subjectId]);
  if (!members.has(userId)) {
    return 'decider_left';
  }
  if (subjectId !== null && !members.has(subjectId)) {
    return 'subject_left';
  }
  if (requestId === null && grant.bound_call_digest !== null) {
    return 'differs';
  }
  if (requestId !== null) {
    const request = await readPermissionRequest(trx, requestId);
    if (request === null) {
      return 'already_decided';
    }
    if (!isAnswerTo(request, grant)) {
      return 'differs';
    }
    // Closing the request comes first: it locks the session's tree, as every writer does.
    const exactCall = grant.bound_call_digest !== null;
    const answer = { grantId: grant.id, scope: grant.scope, exactCall, decidedBy: userId, reason, passkey };
    if (!(await markApproved(trx, requestId, answer))) {
      return 'already_decided';
    }
  }
  // After the tree: whoever archives the agent waits for the grant, and revokes it.
  if (await concernsArchived(trx, grant)) {
    return 'agent_archived';
  }
  await writeGrant(trx, grant, passkey);
  return null;
}

async function concernsArchived(trx: Transaction, grant: NewGrant): Promise<boolean> {
  const { agent_subject_id: holder, details, workspace_id: workspaceId } = grant;
  const child = uuid.safeParse(details['child_agent_id']).data;
  const agents = await keepAgents(
    trx,
    workspaceId,
    [holder, child].filter((id) => typeof id === 'string'),
  );
  return [...agents.values()].some(({ isArchived }) => isArchived);
}

/** An approval grants what was asked, or less. */
function isAnswerTo(request: PermissionRequest, grant: NewGrant): boolean {
  return (
    grant.grant_type === request.grant_type &&
    JSON.stringify(sorted(grant.details)) === JSON.stringify(sorted(request.details)) &&
    scopeWidth[grant.scope] <= scopeWidth[request.scope] &&
    (grant.scope !== 'session' || grant.session_id === request.session_id) &&
    (grant.bound_call_digest === null ||
      (grant.scope === 'once' && grant.bound_call_digest === request.refused_call?.digest))
  );
}

const sorted = (details: Record<string, unknown>) =>
  Object.entries(details).sort(([a], [b]) => (a < b ? -1 : 1));
