import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { agentArchivedProblem } from '../../commands/agents/archive.ts';
import { AgentArchivedError, createWithinQuotas } from '../../commands/sessions/create.ts';
import type { Session, SessionInput } from '../../contract/session.ts';
import { readAgent } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { readSessionSummary } from '../../store/sessions/workflow-summaries.ts';
import { readWhyUnavailable } from '../availability.ts';
import { invalid, reusedKey } from '../errors.ts';
import { followUp } from '../follow-up.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import type { WorkflowClient } from '../workflow-client.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>;

/**
 * Records a session and starts its workflow. A repetition with the same key returns the same session. Throws
 * 422 for an agent that does not exist, is archived or cannot run here, and for a key that another request
 * used, and QuotaExceededError.
 */
export async function startSession(
  dependencies: Dependencies,
  { workspace, user, body }: Pick<InWorkspace, 'workspace' | 'user'> & { body: SessionInput },
  idempotencyKey: string | null,
): Promise<Session> {
  const { db, config } = dependencies;
  const who = { workspaceId: workspace.id, operatorId: user.id, idempotencyKey };
  const earlier = await findSession(db, who);
  if (earlier === null) {
    await requireAgent(dependencies, { agentId: body.agent_id, workspaceId: workspace.id });
  }
  const input = {
    ...who,
    id: randomUUID(),
    agentId: body.agent_id,
    rootOperatorId: user.id,
    parentSessionId: null,
    prompt: body.prompt,
  };
  const session = earlier ?? (await createWithinQuotas(db, input, config).catch(refuseArchived));
  if (session.agent_id !== body.agent_id || session.prompt !== body.prompt) {
    throw reusedKey();
  }
  await beginSession(dependencies, session);
  return session;
}

/** Archived since it was looked at. */
function refuseArchived(error: unknown): never {
  throw error instanceof AgentArchivedError ? invalid([agentArchivedProblem('agent_id')]) : error;
}

async function requireAgent(
  dependencies: Dependencies,
  { agentId, workspaceId }: { agentId: string; workspaceId: string },
): Promise<void> {
  const path = 'agent_id';
  const agent = await readAgent(dependencies.db, agentId);
  if (agent?.workspace_id !== workspaceId) {
    throw invalid([{ path, code: 'unknown_agent', message: 'there is no such agent in this workspace' }]);
  }
  if (agent.archived_at !== null) {
    throw invalid([agentArchivedProblem(path)]);
  }
  const reason = (await readWhyUnavailable(dependencies, [agent]))(agent);
  if (reason !== null) {
    throw invalid([{ path, code: 'not_available', message: `it cannot run here: ${reason}` }]);
  }
}

interface BeginDependencies {
  db: Db;
  log: Logger;
  workflows: Pick<WorkflowClient, 'startSession'>;
}

/**
 * Starts the workflow of a session that is stored, unless it has begun: a worker does it later when
 * Temporal is unavailable now.
 */
export async function beginSession(
  { db, workflows, log }: BeginDependencies,
  { id, status }: Pick<Session, 'id' | 'status'>,
): Promise<void> {
  if (status === 'pending') {
    const started = workflows.startSession(id, await readSessionSummary(db, id));
    await followUp(log, started, { message: 'the session starts later', session_id: id });
  }
}
