import { type SessionSignal, sessionSignals } from '../../contract/workflows.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

export interface EndingDependencies extends Pick<ApiDependencies, 'log'> {
  workflows: Pick<WorkflowClient, 'signalSession'>;
}

/**
 * Tells the workflow of a session that its ending is on its row: a worker tells it later when
 * Temporal is unavailable now.
 */
export function tellEnding(
  { workflows, log }: EndingDependencies,
  sessionId: string,
  signal: SessionSignal = sessionSignals.terminate,
): Promise<void> {
  return followUp(log, workflows.signalSession(sessionId, signal), {
    message: 'the session ends later',
    session_id: sessionId,
  });
}
