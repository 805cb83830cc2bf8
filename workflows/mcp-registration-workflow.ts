/**
 * Registration of a remote MCP server: what signs people in to it is discovered, and the
 * platform becomes a client there.
 */
import { ActivityFailure, setHandler } from '@temporalio/workflow';
import type { AttemptInput } from '../activities/mcp-registrations/attempt.ts';
import type { McpRegistrationWorkflowInput, RegistrationOutcome } from '../contract/workflows.ts';
import { registrationRevised } from './messages.ts';
import { isFinal, sentenceOf } from './refusals.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

/** Runs until nothing is left to do. A registration that fails is an outcome, with its reason on the row. */
export async function mcpRegistrationWorkflow({
  registrationId,
}: McpRegistrationWorkflowInput): Promise<RegistrationOutcome> {
  let isRevised = true;
  let outcome: RegistrationOutcome = { status: 'unchanged', reason: null };
  setHandler(registrationRevised, () => {
    isRevised = true;
  });
  while (isRevised) {
    isRevised = false;
    outcome = (await workOff(registrationId)) ?? outcome;
  }
  return outcome;
}

/** Null when there is nothing to do. */
async function workOff(registrationId: string): Promise<RegistrationOutcome | null> {
  const task = await steps.readRegistrationTask({ registrationId });
  switch (task.kind) {
    case 'nothing':
      return null;
    case 'remove':
      await steps.retireRegistration({ registrationId });
      await deleteOrLeave(registrationId);
      return (await steps.removeRegistration({ registrationId })) === false
        ? { status: 'unchanged', reason: 'Sign-ins are still to be revoked' }
        : { status: 'removed', reason: null };
    case 'delete_clients':
      await deleteOrLeave(registrationId);
      return null;
    case 'register': {
      const { revision, searchAttributesKnown } = task;
      showOwner(task);
      const outcome = await register({ registrationId, revision }, searchAttributesKnown);
      await deleteOrLeave(registrationId);
      return outcome;
    }
  }
}

async function register(attempt: AttemptInput, searchAttributesKnown: boolean): Promise<RegistrationOutcome> {
  try {
    showProgress('discovering', 'Asking the server how people sign in to it', searchAttributesKnown);
    const found = await steps.discoverServer(attempt);
    if (found.needsClient) {
      showProgress('registering', 'Registering at its authorization server', searchAttributesKnown);
    }
    const outcome = found.needsClient ? await steps.registerClient(attempt) : found.settled;
    const sentence = outcome.reason ?? 'The outcome is on the catalog entry';
    showProgress(outcome.status, sentence, searchAttributesKnown);
    return outcome;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    const reason = sentenceOf(error, 'registration_refused') ?? internalError;
    const isTemporary = !isFinal(error, 'registration_refused');
    const outcome = await steps.recordRegistrationFailure({ ...attempt, reason, isTemporary });
    showProgress(outcome.status, outcome.reason ?? reason, searchAttributesKnown);
    return outcome;
  }
}

const internalError =
  'An internal error of the platform: the registration could not be carried out. The worker’s log has the cause';

/**
 * A client that a server does not delete blocks nothing: it can do nothing without its
 * secret and redirect URI.
 */
async function deleteOrLeave(registrationId: string): Promise<void> {
  try {
    await steps.deleteRetiredClients({ registrationId });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
  }
}
