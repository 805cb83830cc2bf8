/**
 * Calls of Temporal that nobody waits for: a person or a bridge has its answer, also while Temporal has none.
 */
import { authorizationSummary } from '../../contract/workflows.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface AuthorizationDependencies extends Pick<ApiDependencies, 'db' | 'config' | 'log'> {
  workflows: Pick<WorkflowClient, 'startAuthorization' | 'settleAuthorization'>;
}

/**
 * Has its workflow wait; one that is not started now is started by a worker's sweep. Its
 * time limit is on its row.
 */
export function startWaiting({ workflows, log }: AuthorizationDependencies, authorizationId: string): void {
  workflows
    .startAuthorization(authorizationId, authorizationSummary)
    .catch((err: unknown) =>
      log.warn({ err, authorization_id: authorizationId }, 'the workflow of an authorization did not start'),
    );
}

/** Tells the workflows that wait; each looks by itself within half a minute. */
export function endWaiting(
  { workflows, log }: AuthorizationDependencies,
  authorizationIds: readonly string[],
): void {
  for (const id of authorizationIds) {
    workflows
      .settleAuthorization(id)
      .catch((err: unknown) => log.warn({ err, authorization_id: id }, 'a sign-in is noticed later'));
  }
}
