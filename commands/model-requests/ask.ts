/** May a session's agent ask its model, now, and how much may all its requests take? */
import type { ModelAccess, ModelRequestAnswer, ModelUsage } from '../../contract/model-access.ts';
import { type FrozenModelAccess, isTerminal, type Session } from '../../contract/session.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  insertModelRequest,
  isKnownRequest,
  lockModelTotals,
  type ModelTotals,
  markLimitReached,
  readModelAccess,
} from '../../store/model-requests/requests.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { agentNameOf, lockSession, readRequestedEnding } from '../../store/sessions/sessions.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { maySessionUseSecret } from '../grants/use.ts';
import { recordAtWork } from '../sessions/move.ts';

type Limits = Pick<ModelAccess, 'requests_per_session' | 'tokens_per_session'>;
type ModelLimit = NonNullable<ModelUsage['reached']>;

/** All that counts against the limit of tokens: what was used, and what is set aside. */
const countedTokens = (totals: ModelTotals): number =>
  totals.input_tokens +
  totals.cache_creation_input_tokens +
  totals.cache_read_input_tokens +
  totals.output_tokens +
  totals.reserved_tokens;

/**
 * The limit that a request with this much output would exceed; null when it may be sent. How long its input
 * is, is known only afterwards.
 */
export function exceededLimit(
  totals: ModelTotals,
  { requests_per_session, tokens_per_session }: Limits,
  maxTokens: number,
): ModelLimit | null {
  if (totals.requests >= requests_per_session) {
    return 'requests';
  }
  const counted = countedTokens(totals);
  return counted >= tokens_per_session || counted + maxTokens > tokens_per_session ? 'tokens' : null;
}

/** For the agent whose request was refused. */
export function refusalMessage(limit: ModelLimit, totals: ModelTotals, limits: Limits): string {
  if (limit === 'requests') {
    return `The session has made all the requests to the model that it may make (limit: ${limits.requests_per_session})`;
  }
  const left = Math.max(0, limits.tokens_per_session - countedTokens(totals));
  const whole = `of the session's ${limits.tokens_per_session} tokens`;
  return left === 0
    ? `Nothing is left ${whole} for the model`
    : `Only ${left} are left ${whole} for the model; ask for fewer output tokens, or wait for your other requests`;
}

/** As people read it. */
export function presentUsage(totals: ModelTotals, limits: Limits): ModelUsage {
  const { requests_reached, tokens_reached, ...used } = totals;
  const reached = requests_reached ? 'requests' : tokens_reached ? 'tokens' : null;
  return {
    ...used,
    counted_tokens: countedTokens(totals),
    requests_limit: limits.requests_per_session,
    tokens_limit: limits.tokens_per_session,
    reached,
  };
}

interface ModelRequest {
  sessionId: string;
  /** Stays when the request is sent again. */
  id: string;
  maxTokens: number;
}

/**
 * Allows the request, and sets its output aside, or says why not. The lock of the session makes its requests
 * take turns, so that no two of them take the last place, and none passes once the session has ended.
 * Idempotent: a request that was allowed stays so while the session and its grant do. The first refusal of
 * each limit is told to people and recorded. Null for a session that does not exist.
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

const mayUseKey = (trx: Transaction, sessionId: string, { api_key, endpoint }: FrozenModelAccess) =>
  maySessionUseSecret(trx, {
    ...{ sessionId, grantType: 'model_key', endpoint },
    secretName: api_key.secret_name,
  });

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
  await recordAtWork(trx, session);
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
