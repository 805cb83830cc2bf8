/** Registration of a remote MCP server: what signs people in to it is discovered, and the platform becomes a client there. */
import { ActivityFailure, setHandler } from '@temporalio/workflow';
import type { AttemptInput } from '../activities/mcp-registrations/attempt.ts';
import type { McpRegistrationWorkflowInput } from '../contract/workflows.ts';
import { registrationRevised } from './messages.ts';
import { isFinal, sentenceOf } from './refusals.ts';
import * as steps from './steps.ts';
import { showProgress, showWorkspace } from './visibility.ts';

/** Runs until nothing is left to do. A registration that fails is an outcome, with its reason on the row. */
export async function mcpRegistrationWorkflow({
  registrationId,
}: McpRegistrationWorkflowInput): Promise<void> {
  let isRevised = true;
  setHandler(registrationRevised, () => {
    isRevised = true;
  });
  while (isRevised) {
    isRevised = false;
    await workOff(registrationId);
  }
}

async function workOff(registrationId: string): Promise<void> {
  const task = await steps.readRegistrationTask({ registrationId });
  switch (task.kind) {
    case 'nothing':
      return;
    case 'remove':
      await steps.retireRegistration({ registrationId });
      await deleteOrLeave(registrationId);
      await steps.removeRegistration({ registrationId });
      return;
    case 'delete_clients':
      await deleteOrLeave(registrationId);
      return;
    case 'register': {
      const { revision, workspaceId, searchAttributesKnown } = task;
      showWorkspace({ workspaceId, searchAttributesKnown });
      await register({ registrationId, revision }, searchAttributesKnown);
      await deleteOrLeave(registrationId);
    }
  }
}

async function register(attempt: AttemptInput, searchAttributesKnown: boolean): Promise<void> {
  try {
    showProgress('discovering', 'Asking the server how people sign in to it', searchAttributesKnown);
    const { needsClient } = await steps.discoverServer(attempt);
    if (needsClient) {
      showProgress('registering', 'Registering at its authorization server', searchAttributesKnown);
      await steps.registerClient(attempt);
    }
    showProgress('settled', 'The outcome is on the catalog entry', searchAttributesKnown);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
    const reason = sentenceOf(error, 'registration_refused') ?? internalError;
    const isTemporary = !isFinal(error, 'registration_refused');
    await steps.recordRegistrationFailure({ ...attempt, reason, isTemporary });
    showProgress('failed', reason, searchAttributesKnown);
  }
}

const internalError =
  'An internal error of the platform: the registration could not be carried out. The worker’s log has the cause';

/** A client that a server does not delete blocks nothing: it can do nothing without its secret and redirect URI. */
async function deleteOrLeave(registrationId: string): Promise<void> {
  try {
    await steps.deleteRetiredClients({ registrationId });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) {
      throw error;
    }
  }
}
