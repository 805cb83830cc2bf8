/**
 * What approving and denying have in common: the request is open, the recorded decision is carried out,
 * and it is the one that won.
 */
import type { StoredDecision } from '../../commands/decisions/withdraw.ts';
import { alreadyDecidedSentence } from '../../contract/sentences.ts';
import type { RequestOutcome } from '../../contract/workflows.ts';
import { readRequestSummary } from '../../store/sessions/workflow-summaries.ts';
import { ApiError } from '../errors.ts';
import { carryOutOrWithdraw } from '../grants/carry-out.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** Throws 409 `already_decided` unless the request is open. */
export function requireOpen({ status }: { status: string }): void {
  if (status !== 'open') {
    throw alreadyDecided(status);
  }
}

/**
 * Makes the request's workflow carry out a recorded decision. Throws 409 `already_decided` when another
 * decision was first: `counted` looks at how the request ended. 503 when no worker carries it out in
 * time: it is withdrawn then.
 */
export async function decideRequest(
  { db, workflows }: Pick<SessionRouteDependencies, 'db' | 'workflows'>,
  { requestId, decision }: { requestId: string; decision: StoredDecision },
  counted: (outcome: RequestOutcome) => boolean,
): Promise<void> {
  const summary = await readRequestSummary(db, requestId);
  const outcome = await carryOutOrWithdraw(db, decision, () =>
    workflows.decide(requestId, decision.id, summary),
  );
  if (outcome !== null && !counted(outcome)) {
    throw alreadyDecided(outcome.status);
  }
}

const alreadyDecided = (status: string) => new ApiError('already_decided', alreadyDecidedSentence(status));
