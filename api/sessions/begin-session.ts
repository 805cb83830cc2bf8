import type { Logger } from 'pino';
import type { Session } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { readSessionSummary } from '../../store/sessions/workflow-summaries.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

interface Dependencies {
  db: Db;
  log: Logger;
  workflows: Pick<WorkflowClient, 'startSession'>;
}

/**
 * Starts the workflow of a session that is stored, unless it has begun: a worker does it later when
 * Temporal is unavailable now.
 */
export async function beginSession(
  { db, workflows, log }: Dependencies,
  { id, status }: Pick<Session, 'id' | 'status'>,
): Promise<void> {
  if (status === 'pending') {
    const started = workflows.startSession(id, await readSessionSummary(db, id));
    await followUp(log, started, { message: 'the session starts later', session_id: id });
  }
}
