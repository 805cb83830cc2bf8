/** May a session's agent ask its model, now? */
import type { ModelRequestAnswer } from '../../contract/model-access.ts';
import { type FrozenModelAccess, isTerminal, type Session } from '../../contract/session.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  insertModelRequest,
  isKnownRequest,
  lockModelTotals,
  markLimitReached,
  readModelAccess,
} from '../../store/model-requests/requests.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { readRequestedEnding } from '../../store/sessions/ending.ts';
import { lockSession } from '../../store/sessions/status.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { maySessionUseSecret } from '../grants/use-secret-grants.ts';
import { exceededLimit, type ModelLimit, refusalMessage } from './budget.ts';

export interface ModelRequest {
  sessionId: string;
  /** Stays when the request is sent again. */
  id: string;
  maxTokens: number;
}

/**
 * Allows the request, and sets its output aside, or says why not. The lock of the session makes its requests take turns, so that no two of them take the
 * last place, and none passes once the session has ended. Idempotent: a request that was allowed stays so while the session and its grant do. The first
 * refusal of each limit is told to people and recorded. Null for a session that does not exist.
 */
export function askForModelRequest(db: Db, request: ModelRequest): Promise<ModelRequestAnswer | null> {
  const { sessionId, maxTokens } = request;
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, sessionId);
    if (session === null) {
      return null;
    }
    const access = await readModelAccess(trx, sessionId);
    if (access === null) {
      return ended('This session has no access to a model');
    }
    if (isTerminal(session.status) || (await readRequestedEnding(trx, sessionId)) !== null) {
      return ended('The session has ended');
    }
    if (!(await mayUseKey(trx, sessionId, access))) {
      return ended('The access to the model was revoked');
    }
    if (await isKnownRequest(trx, request)) {
      return allowWhereOpen(trx, session);
    }
    const totals = await lockModelTotals(trx, sessionId);
    const limit = exceededLimit(totals, access, maxTokens);
    if (limit === null) {
      const answer = await allowWhereOpen(trx, session);
      if (answer.decision === 'allowed') {
        await insertModelRequest(trx, request);
      }
      return answer;
    }
    if (await markLimitReached(trx, sessionId, limit)) {
      await announce(trx, session, access, limit);
    }
    return {
      decision: 'refused',
      code: 'model_budget_reached',
      message: refusalMessage(limit, totals, access),
    };
  });
}

const ended = (message: string): ModelRequestAnswer => ({
  decision: 'refused',
  code: 'model_access_ended',
  message,
});

/** Looked at last: what is refused anyway costs no further statement. */
async function allowWhereOpen(trx: Transaction, { workspace_id }: Session): Promise<ModelRequestAnswer> {
  return (await keepWorkspaceOpen(trx, workspace_id))
    ? { decision: 'allowed' }
    : ended('The workspace is closed');
}

const mayUseKey = (trx: Transaction, sessionId: string, { api_key }: FrozenModelAccess): Promise<boolean> =>
  maySessionUseSecret(trx, { sessionId, grantType: 'model_key', secretName: api_key.secret_name });

const noticeOf = (limit: ModelLimit, access: FrozenModelAccess) =>
  limit === 'requests'
    ? `The agent has made all the requests to the model that it may make (limit: ${access.requests_per_session}); the platform refuses more in this session.`
    : `The agent asked for more than is left of its ${access.tokens_per_session} tokens for the model; the platform refuses what exceeds them in this session.`;

/** Once for each limit: which one, and nothing of what was asked. */
async function announce(
  trx: Transaction,
  session: Session,
  access: FrozenModelAccess,
  limit: ModelLimit,
): Promise<void> {
  const id = derivedId(session.id, 'model_budget_reached', limit);
  const actor: Actor = { type: 'agent', id: session.agent_id };
  await appendSessionEvent(trx, session.id, {
    id,
    type: 'platform.notice',
    actor: { type: 'system', id: null },
    payload: { code: 'model_budget_reached', message: noticeOf(limit, access) },
  });
  await appendAuditEvent(trx, {
    id,
    workspaceId: session.workspace_id,
    event: 'model.budget_reached',
    actor,
    resource: { type: 'session', id: session.id, name: await agentNameOf(trx, session.agent_id) },
    sessionId: session.id,
    data: { limit, [`${limit}_limit`]: access[`${limit}_per_session`] },
  });
}
