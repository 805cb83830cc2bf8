/**
 * Waits until a person has signed in to a remote server, or the time for it is over. The sign-in
 * itself never enters Temporal.
 */
import { condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AuthorizationState } from '../activities/authorizations/authorizations.ts';
import type { AuthorizationOutcome, AuthorizationWorkflowInput } from '../contract/workflows.ts';
import { authorizationSettled } from './messages.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

/** A signal may be lost: the API may be killed between the sign-in and it. */
const longestWaitMs = 30_000;
/** Far below the server's limit: an operator of the platform may give people days. */
const defaultHistoryLimit = 2000;

/** Returns how it ended; everything else is on its row. */
export async function authorizationWorkflow(
  input: AuthorizationWorkflowInput,
): Promise<AuthorizationOutcome> {
  const { authorizationId, historyLimit = defaultHistoryLimit } = input;
  let isSettled = false;
  setHandler(authorizationSettled, () => {
    isSettled = true;
  });
  let isShown = false;
  while (true) {
    isSettled = false;
    const state = await steps.checkAuthorization({ authorizationId });
    if (state === null) {
      return { status: 'cancelled' };
    }
    const { status, server, remainingMs, searchAttributesKnown } = state;
    if (status !== 'pending') {
      showProgress(status, `"${server}"`, searchAttributesKnown);
      return { status };
    }
    if (!isShown) {
      showWaiting(state);
      isShown = true;
    }
    await condition(() => isSettled, Math.max(1, Math.min(remainingMs, longestWaitMs)), {
      summary: `Wait for the sign-in to ${server}`,
    });
    if (workflowInfo().historyLength > historyLimit) {
      return continueAsNew<typeof authorizationWorkflow>(input);
    }
  }
}

function showWaiting({ workspaceId, sessionId, server, searchAttributesKnown }: AuthorizationState): void {
  showOwner({ workspaceId, sessionId, searchAttributesKnown });
  showProgress('pending', `Waiting until the person signs in to "${server}"`, searchAttributesKnown);
}
