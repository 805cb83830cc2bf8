import { renewClient } from '../../commands/mcp-registrations/registrations.ts';
import type { Binding } from '../../commands/oauth-connections/connections.ts';
import type { OAuthTokenError } from '../../lib/oauth/token-errors.ts';
import { readRegistrationSummary } from '../../store/sessions/workflow-summaries.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface RegistrationDependencies extends Pick<ApiDependencies, 'db' | 'log'> {
  workflows: Pick<WorkflowClient, 'reviseRegistration'>;
}

/**
 * Has the workflow do what the registration's row says; a worker does it later when
 * Temporal is unavailable now.
 */
export async function beginRegistration(
  { db, workflows, log }: RegistrationDependencies,
  registrationId: string,
): Promise<void> {
  const summary = await readRegistrationSummary(db, registrationId);
  await followUp(log, workflows.reviseRegistration(registrationId, summary), {
    message: 'the registration begins later',
    registration_id: registrationId,
  });
}

/**
 * Has the platform registered again when that is why its server gave no tokens: it does not know the client
 * any more. Returns whether it is.
 */
export async function renewUnknownClient(
  dependencies: RegistrationDependencies,
  { client, registration }: Binding,
  { code }: OAuthTokenError,
): Promise<boolean> {
  const isRenewed = code === 'invalid_client' && (await renewClient(dependencies.db, client));
  if (isRenewed) {
    await beginRegistration(dependencies, registration.id);
  }
  return isRenewed;
}
