/** The only writer of grants (docs/grants.md#who-writes-one). */
import { type ApprovalRefusal, approve } from '../../commands/decisions/approve.ts';
import { deny } from '../../commands/decisions/deny.ts';
import type { ApprovalClaims } from '../../contract/approval.ts';
import { uuid } from '../../contract/names.ts';
import type { UsedPasskey } from '../../contract/passkey.ts';
import { grantChallenge, isAnsweredInTime } from '../../contract/passkey-challenge.ts';
import {
  grantWorkflowId,
  permissionRequestWorkflowId,
  type RequestOutcome,
} from '../../contract/workflows.ts';
import { verifyAssertion } from '../../lib/passkeys/verify.ts';
import { inTransaction, type Transaction } from '../../store/database.ts';
import { type Decision, markCarriedOut, readDecision } from '../../store/decisions/decisions.ts';
import { needsPasskey } from '../../store/grants/passkey-needs.ts';
import { readGrant } from '../../store/grants/read.ts';
import { readClockMs } from '../../store/passkeys/challenges.ts';
import { lockPasskey, recordPasskeyUse } from '../../store/passkeys/passkeys.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { alreadyDecided, approvalInvalid, decisionWithdrawn, passkeyRequired } from '../failures.ts';
import { requireWorkflow } from '../own-workflow.ts';
import { type Shown, shownOf } from '../workflow-owner.ts';
import { refuseExpired, verifyApproval } from './verify-approval.ts';

/** `owner`: of a grant whose workflow has not read it before. */
type CarriedOut = RequestOutcome & { owner?: { workspaceId: string } & Shown };

/**
 * Carries a stored decision out in one transaction: the grant, the request's status, events, audit and the
 * message to the agent. Idempotent by the decision: one that was carried out returns its outcome again.
 * Throws `already_decided` when the request was closed otherwise, `approval_invalid`, `approval_expired` or
 * `passkey_required` when the approval, or the answer of a passkey in it, is not valid, and
 * `decision_withdrawn` when its maker was told that it does not count: whether it does is decided last, by
 * the row that says so.
 * `requestId`: the request whose workflow asks; a decision about another one is rejected. Only the workflow
 * of that request, or of the grant, may ask.
 */
export function carryOutDecision(
  dependencies: ActivityDependencies,
  { decisionId, requestId }: { decisionId: string; requestId?: string },
): Promise<CarriedOut> {
  return inTransaction(dependencies.db, async (trx) => {
    const decision = uuid.safeParse(decisionId).success ? await readDecision(trx, decisionId) : null;
    if (decision === null || (requestId !== undefined && decision.requestId !== requestId)) {
      throw approvalInvalid('There is no such decision');
    }
    if (decision.requestId !== null) {
      requireWorkflow(permissionRequestWorkflowId(decision.requestId));
    }
    const outcome = await carryOutIn(trx, dependencies, decision);
    if (!(await markCarriedOut(trx, decision.id))) {
      throw decisionWithdrawn();
    }
    if (decision.requestId !== null || outcome.grantId === null) {
      return outcome;
    }
    const shown = await shownOf({ ...dependencies, db: trx }, 'grant', outcome.grantId);
    return { ...outcome, owner: { workspaceId: decision.workspaceId, ...shown } };
  });
}

async function carryOutIn(
  trx: Transaction,
  dependencies: ActivityDependencies,
  decision: Decision,
): Promise<RequestOutcome> {
  if (decision.kind === 'approve') {
    return carryOutApproval(dependencies, trx, decision);
  }
  throwRefusal(await deny(trx, decision));
  return { status: 'denied', grantId: null };
}

async function carryOutApproval(
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
  const passkey = await usePasskey(trx, claims);
  throwRefusal(await approve(trx, decision, grant, passkey));
  return outcome;
}

function throwRefusal(refusal: ApprovalRefusal | null): void {
  switch (refusal) {
    case null:
      return;
    case 'already_decided':
      throw alreadyDecided();
    case 'decider_left':
      throw approvalInvalid('The person who decided is no longer a member of the workspace');
    case 'subject_left':
      throw approvalInvalid('The person the grant is for is no longer a member of the workspace');
    case 'agent_archived':
      throw approvalInvalid('An agent that the grant is about is archived');
    case 'workspace_closed':
      throw approvalInvalid('The workspace is closed');
    case 'differs':
      throw approvalInvalid('The approval does not answer what was requested');
    default:
      throw new Error(`no grant was written: ${refusal satisfies never}`);
  }
}

/**
 * The second look at a passkey's answer, by whoever writes the grant, and against what is stored then. Throws
 * `passkey_required` for a grant that needs a passkey now and was approved without one, and for an
 * answer that is not this grant's, too old, or not of a passkey that its maker has now. Records the use, to
 * be undone with the grant, and returns the passkey; null where none was needed.
 */
async function usePasskey(trx: Transaction, claims: ApprovalClaims): Promise<UsedPasskey | null> {
  const { grant, passkey: answer } = claims;
  if (answer === null) {
    if (await needsPasskey(trx, grant.workspace_id, grant.details)) {
      throw passkeyRequired('This has to be approved with a passkey, and was not');
    }
    return null;
  }
  const { begun_at: begunAt } = answer;
  if (begunAt === undefined || !isAnsweredInTime(begunAt, await readClockMs(trx))) {
    throw passkeyRequired('The answer of the passkey came too late; approve again');
  }
  const key = { userId: grant.granted_by_user_id, credentialId: answer.credential_id };
  const passkey = await lockPasskey(trx, key);
  const challenge = grantChallenge(grant, begunAt);
  const signCount = passkey === null ? null : await verifyAssertion(answer, { challenge, passkey });
  if (passkey === null || signCount === null) {
    throw passkeyRequired('The answer of the passkey is not valid for this grant; approve again');
  }
  await recordPasskeyUse(trx, passkey.id, signCount);
  return { id: passkey.id, name: passkey.name };
}
