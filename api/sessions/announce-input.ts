import type { Logger } from 'pino';
import { sessionSignals } from '../../contract/workflows.ts';
import type { WorkflowClient } from '../workflow-client.ts';

interface Dependencies {
  log: Logger;
  workflows: Pick<WorkflowClient, 'signalSession'>;
}

/** Tells a session's workflow that a message waits: a worker does it later when Temporal is unavailable now. */
export async function announceInput({ workflows, log }: Dependencies, sessionId: string): Promise<void> {
  await workflows
    .signalSession(sessionId, sessionSignals.inputAvailable)
    .catch((err: unknown) => log.warn({ err, session_id: sessionId }, 'the message is delivered later'));
}
