import type { Logger } from 'pino';
import { sessionSignals } from '../../contract/workflows.ts';
import type { Db } from '../../store/database.ts';
import { needsWake } from '../../store/session-inputs/inputs.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

interface Dependencies {
  db: Db;
  log: Logger;
  workflows: Pick<WorkflowClient, 'signalSession'>;
}

/**
 * Tells a session's workflow that a stored message waits, unless another waits already: Temporal takes 10,000
 * signals of a workflow, and people and agents send more messages than that. A worker tells it later when
 * Temporal is unavailable now, or this process ends before it did.
 */
export async function announceInput(
  { db, workflows, log }: Dependencies,
  { sessionId, messageId }: { sessionId: string; messageId: string },
): Promise<void> {
  const announce = async () => {
    if (await needsWake(db, messageId)) {
      await workflows.signalSession(sessionId, sessionSignals.inputAvailable);
    }
  };
  await followUp(log, announce(), { message: 'the message is delivered later', session_id: sessionId });
}
