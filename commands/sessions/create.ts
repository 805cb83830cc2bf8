/**
 * A session is created, for a person, a schedule or a parent, and takes the configuration that it runs with
 * while its operators are members.
 */
import type { FrozenConfiguration, Session } from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/members.ts';
import { lockBothQuotas } from '../../store/quotas/quotas.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { findSession, insertSession, type NewSession } from '../../store/sessions/insert.ts';
import { agentNameOf, readSession } from '../../store/sessions/read-session.ts';
import { requireSessionQuotas, type SessionQuotas } from '../quotas/quotas.ts';

/** The agent was archived: nothing starts it. */
export class AgentArchivedError extends Error {
  override name = 'AgentArchivedError';
}

/** What started a session that no person did, and under which grant. */
interface StartedBy {
  by: Actor;
  grantedVia: string | null;
}

/**
 * Creates a `pending` session with its first event and audit event, in the name of its operator unless
 * `started` says who. Idempotent by id. Returns the operator's earlier session when they have already used
 * the idempotency key in the workspace. Every start of a session comes by here: throws AgentArchivedError for
 * an archived agent.
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

/**
 * Creates a session for its operator, within their quotas and the workspace's. Of two requests with one key
 * the second returns the session of the first, also when that used up the quota. Throws QuotaExceededError
 * and AgentArchivedError.
 */
export function createWithinQuotas(
  db: Db,
  input: NewSession & { operatorId: string },
  quotas: SessionQuotas,
): Promise<Session> {
  const of = { userId: input.operatorId, workspaceId: input.workspaceId };
  return inTransaction(db, async (trx) => {
    await lockBothQuotas(trx, of);
    const earlier = await findSession(trx, input);
    if (earlier !== null) {
      return earlier;
    }
    await requireSessionQuotas(trx, of, quotas);
    return createSession(trx, input);
  });
}

/**
 * Returns whether the session's operators, and who made its schedule, are members of its workspace. In an
 * open transaction they stay members until it ends, so that a later removal finds the session and ends it.
 */
export function lockOperators(
  db: Db,
  { workspace_id: workspaceId, operator_id, root_operator_id, schedule_maker_id }: Session,
): Promise<boolean> {
  const people = [operator_id, root_operator_id, schedule_maker_id].filter((id) => id !== null);
  return inTransaction(db, async (trx) => {
    const members = await lockMembers(trx, workspaceId, people);
    return people.every((id) => members.has(id));
  });
}

/**
 * Stores what the session will run with; the first one stored stays. Returns the stored one, or null when an
 * operator of the session is no longer a member of its workspace.
 */
export function freezeSession(
  db: Db,
  session: Session,
  configuration: FrozenConfiguration,
): Promise<FrozenConfiguration | null> {
  return inTransaction(db, async (trx) =>
    (await lockOperators(trx, session)) ? storeConfiguration(trx, configuration) : null,
  );
}
