/** The only writer of grants (docs/grants.md#who-writes-one). */
import { uuid } from '../../contract/names.ts';
import {
  grantWorkflowId,
  permissionRequestWorkflowId,
  type RequestOutcome,
} from '../../contract/workflows.ts';
import { inTransaction, type Transaction } from '../../store/database.ts';
import { type Decision, readDecision } from '../../store/decisions/decisions.ts';
import { insertGrant } from '../../store/grants/insert.ts';
import { readGrant } from '../../store/grants/read.ts';
import { lockMembers } from '../../store/members/lock-members.ts';
import { closePermissionRequest, markApproved } from '../../store/permission-requests/close.ts';
import { readPermissionRequest } from '../../store/permission-requests/read.ts';
import { setRequestsMuted } from '../../store/sessions/mute-requests.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { alreadyDecided, approvalInvalid } from '../failures.ts';
import { requireWorkflow } from '../own-workflow.ts';
import { refuseExpired, refuseMismatch, verifyApproval } from './verify-approval.ts';

/**
 * Carries a stored decision out in one transaction: the grant, the request's status, events, audit and the message to
 * the agent. Idempotent by the decision: one that was carried out returns its outcome again. Throws `already_decided`
 * when the request was closed otherwise, `approval_invalid` or `approval_expired` when the approval is not valid.
 * `requestId`: the request whose workflow asks; a decision about another one is rejected. Only the workflow of that
 * request, or of the grant, may ask.
 */
export function carryOutDecision(
  deps: ActivityDependencies,
  { decisionId, requestId }: { decisionId: string; requestId?: string },
): Promise<RequestOutcome> {
  return inTransaction(deps.db, async (trx) => {
    const decision = uuid.safeParse(decisionId).success ? await readDecision(trx, decisionId) : null;
    if (decision === null || (requestId !== undefined && decision.requestId !== requestId)) {
      throw approvalInvalid('There is no such decision');
    }
    if (decision.requestId !== null) {
      requireWorkflow(permissionRequestWorkflowId(decision.requestId));
    }
    return decision.kind === 'deny' ? deny(trx, decision) : approve(deps, trx, decision);
  });
}

async function deny(trx: Transaction, decision: Decision): Promise<RequestOutcome> {
  const requestId = decision.requestId ?? '';
  await requireMembers(trx, decision, null);
  const closed = await closePermissionRequest(trx, requestId, {
    status: 'denied',
    decidedBy: decision.userId,
    reason: decision.reason,
  });
  const request = closed ? null : await readPermissionRequest(trx, requestId);
  if (!closed && !(request?.status === 'denied' && request.decided_by === decision.userId)) {
    throw alreadyDecided();
  }
  if (closed && decision.mutesSession) {
    await mute(trx, requestId, decision.userId);
  }
  return { status: 'denied', grantId: null };
}

async function mute(trx: Transaction, requestId: string, userId: string): Promise<void> {
  const request = await readPermissionRequest(trx, requestId);
  if (request !== null) {
    await setRequestsMuted(trx, request.session_id, { muted: true, by: { type: 'user', id: userId } });
  }
}

async function approve(
  { approvalPublicKey }: ActivityDependencies,
  trx: Transaction,
  decision: Decision,
): Promise<RequestOutcome> {
  const claims = await verifyApproval(approvalPublicKey, decision);
  const { grant } = claims;
  const outcome: RequestOutcome = { status: 'approved', grantId: grant.id };
  if ((await readGrant(trx, grant.id)) !== null) {
    return outcome;
  }
  if (decision.requestId === null) {
    requireWorkflow(grantWorkflowId(grant.id));
  }
  refuseExpired(claims, Date.now());
  await requireMembers(trx, decision, grant.user_subject_id);
  if (decision.requestId !== null) {
    const request = await readPermissionRequest(trx, decision.requestId);
    if (request === null) {
      throw alreadyDecided();
    }
    refuseMismatch(claims, request);
    await answer(trx, decision, { id: decision.requestId, grantId: grant.id, scope: grant.scope });
  }
  await insertGrant(trx, grant);
  return outcome;
}

/** Closing the request comes first: it locks the session's tree, as every writer does. */
async function answer(
  trx: Transaction,
  { userId, reason }: Decision,
  { id, grantId, scope }: { id: string; grantId: string; scope: 'once' | 'session' | 'persistent' },
): Promise<void> {
  if (!(await markApproved(trx, id, { grantId, scope, decidedBy: userId, reason }))) {
    throw alreadyDecided();
  }
}

/**
 * Membership is checked at each use: a removed member can neither decide nor be granted anything.
 * Members stay members until the grant is written, so that a removal finds it.
 */
async function requireMembers(
  trx: Transaction,
  { userId, workspaceId }: Decision,
  subjectId: string | null,
): Promise<void> {
  const members = await lockMembers(trx, workspaceId, subjectId === null ? [userId] : [userId, subjectId]);
  if (!members.has(userId)) {
    throw approvalInvalid('Whoever decided is not a member of the workspace any more');
  }
  if (subjectId !== null && !members.has(subjectId)) {
    throw approvalInvalid('Whoever the grant is for is not a member of the workspace any more');
  }
}
