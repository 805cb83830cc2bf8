import type { Session } from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { keepAgents } from '../../store/agents/keep-agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { findSession, insertSession, type NewSession } from '../../store/sessions/insert.ts';
import { readSession } from '../../store/sessions/read-session.ts';

/** The agent was archived: nothing starts it. */
export class AgentArchivedError extends Error {
  override name = 'AgentArchivedError';
}

/** What started a session that no person did, and under which grant. */
export interface StartedBy {
  by: Actor;
  grantedVia: string | null;
}

/**
 * Creates a `pending` session with its first event and audit event, in the name of its operator unless `started` says who. Idempotent by id. Returns the
 * operator's earlier session when they have already used the idempotency key in the workspace. Every start of a session comes by here: throws
 * AgentArchivedError for an archived agent.
 */
export function createSession(db: Db, input: NewSession, started?: StartedBy): Promise<Session> {
  return inTransaction(db, async (trx) => {
    if (await insertSession(trx, input)) {
      const agent = (await keepAgents(trx, input.workspaceId, [input.agentId])).get(input.agentId);
      if (agent?.isArchived !== false) {
        throw new AgentArchivedError('an archived agent starts no session');
      }
      await announce(trx, input, started ?? startedByOperator(input));
    }
    const session = (await findSession(trx, input)) ?? (await readSession(trx, input.id));
    if (session === null) {
      throw new Error(`session ${input.id} was not stored`);
    }
    return session;
  });
}

const startedByOperator = ({ operatorId }: NewSession): StartedBy => ({
  by: operatorId === null ? systemActor : { type: 'user', id: operatorId },
  grantedVia: null,
});

async function announce(
  trx: Transaction,
  input: NewSession,
  { by: actor, grantedVia }: StartedBy,
): Promise<void> {
  await appendSessionEvent(trx, input.id, {
    id: derivedId(input.id, 'pending'),
    type: 'session.status_changed',
    actor,
    payload: { from: null, to: 'pending', reason: null },
  });
  await appendAuditEvent(trx, {
    workspaceId: input.workspaceId,
    event: 'session.created',
    actor,
    resource: { type: 'session', id: input.id, name: await agentNameOf(trx, input.agentId) },
    sessionId: input.id,
    data: {
      agent_id: input.agentId,
      parent_session_id: input.parentSessionId,
      // Quotas count it for the person at the root, who is not its actor.
      ...(actor.type === 'agent' ? { root_operator_id: input.rootOperatorId } : {}),
      ...(grantedVia === null ? {} : { granted_via: grantedVia }),
      ...scheduleOf(input),
    },
  });
}

/** By the maker's id their quotas count it: nobody acted who could be the event's actor. */
const scheduleOf = ({ schedule }: NewSession) =>
  schedule === undefined ? {} : { schedule_id: schedule.id, schedule_maker_id: schedule.makerId };
