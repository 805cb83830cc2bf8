/** What approving and denying a request have in common: it is open, the decision on record is carried out, and it is the one that counted. */
import type { RequestOutcome } from '../../../contract/workflows.ts';
import { readRequestSummary } from '../../../store/sessions/workflow-summaries.ts';
import { ApiError } from '../../errors.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/** Throws 409 `already_decided` unless the request is open. */
export function requireOpen({ status }: { status: string }): void {
  if (status !== 'open') {
    throw alreadyDecided(status);
  }
}

/**
 * Has a recorded decision carried out by the request's workflow. Throws 409 `already_decided` when another decision was first:
 * `counted` looks at how the request ended. 503 when no worker carries it out in time.
 */
export async function decideRequest(
  { db, workflows }: Pick<SessionRouteDependencies, 'db' | 'workflows'>,
  { requestId, decisionId }: { requestId: string; decisionId: string },
  counted: (outcome: RequestOutcome) => boolean,
): Promise<void> {
  const outcome = await workflows.decide(requestId, decisionId, await readRequestSummary(db, requestId));
  if (!counted(outcome)) {
    throw alreadyDecided(outcome.status);
  }
}

const alreadyDecided = (status: string) =>
  new ApiError('already_decided', `The permission request is already ${status}`);
