/**
 * A session is created, for a person, a schedule or a parent, and takes the configuration that it runs with
 * while its operators are members. One that another session starts is its child, under a grant and within
 * the quotas of its tree.
 */
import {
  chargedPersonOf,
  type FrozenConfiguration,
  isTerminal,
  type Session,
} from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockMembers } from '../../store/members/members.ts';
import { lockBothQuotas, lockQuota, QuotaExceededError } from '../../store/quotas/quotas.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import {
  agentNameOf,
  findSession,
  insertSession,
  type NewSession,
  readRequestedEnding,
  readSession,
} from '../../store/sessions/sessions.ts';
import {
  childIdOf,
  countInTree,
  insertChild,
  listUnfinishedChildren,
  lockTree,
  readChild,
} from '../../store/sessions/tree.ts';
import { keepWorkspaceOpen } from '../../store/workspaces/closing.ts';
import { takeSpawnGrant } from '../grants/use.ts';
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
      ...scheduleData(input),
    },
  });
}

/** By the maker's id their quotas count it: nobody acted who could be the event's actor. */
const scheduleData = ({ schedule }: NewSession) =>
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

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
interface TreeQuotas {
  LIMIT_SESSION_TREE_DEPTH: number;
  LIMIT_SESSIONS_PER_TREE: number;
  LIMIT_RUNNING_CHILDREN_PER_SESSION: number;
}

/**
 * Throws QuotaExceededError unless the last of `lineage` may have one more child. Takes a transaction that
 * locked the tree. `lineage`: root first.
 */
async function requireRoomInTree(
  trx: Transaction,
  lineage: readonly string[],
  quotas: TreeQuotas,
): Promise<void> {
  const { LIMIT_SESSION_TREE_DEPTH: depth, LIMIT_SESSIONS_PER_TREE: inTree } = quotas;
  if (lineage.length > depth) {
    throw new QuotaExceededError(depth, 'levels of sessions below the first; do this work here instead');
  }
  const [root, parent] = [lineage[0], lineage.at(-1)];
  if (root === undefined || parent === undefined) {
    throw new Error('a session has a lineage');
  }
  const { LIMIT_RUNNING_CHILDREN_PER_SESSION: children } = quotas;
  if ((await listUnfinishedChildren(trx, parent)).length >= children) {
    throw new QuotaExceededError(children, 'running children per session; one has to end first');
  }
  if ((await countInTree(trx, root)) >= inTree) {
    throw new QuotaExceededError(
      inTree,
      'sessions in a tree, ended ones included; do this work here instead',
    );
  }
}

export type SpawnQuotas = SessionQuotas & TreeQuotas;

interface Spawning {
  /** Stays when the call is sent again. */
  callId: string;
  /** The session whose agent calls. */
  parentSessionId: string;
  childAgentId: string;
  prompt: string;
  label: string | null;
}

export type Spawned =
  | { result: 'spawned'; session: Session }
  /** The workspace has no such agent, or not any more. */
  | { result: 'no_such_agent' }
  | { result: 'agent_archived' }
  /** No active grant permits this child, whether one did before or not. */
  | { result: 'permission_required' }
  /** The parent has ended, or was asked to. */
  | { result: 'session_ended' };

/**
 * Starts a session below another: uses the parent's spawn grant, and inserts the child with its events and
 * audit events, in one transaction that holds the tree's lock, so that a parent which ends at the same time
 * either has the child to end or starts none. Idempotent by call: one that is sent again is answered with the
 * child that it started, whatever changed since. Throws QuotaExceededError, and nothing is used up then.
 */
export function spawnSession(db: Db, input: Spawning, quotas: SpawnQuotas): Promise<Spawned> {
  const id = childIdOf(input.parentSessionId, input.callId);
  return inTransaction(db, async (trx) => {
    const parent = await lockParent(trx, input.parentSessionId);
    const known = await readChild(trx, input.parentSessionId, id);
    if (known !== null) {
      return { result: 'spawned', session: known };
    }
    if (parent === null || isTerminal(parent.session.status)) {
      return { result: 'session_ended' };
    }
    if ((await readRequestedEnding(trx, parent.session.id)) !== null) {
      return { result: 'session_ended' };
    }
    // It is about to be asked to.
    if (!(await keepWorkspaceOpen(trx, parent.session.workspace_id))) {
      return { result: 'session_ended' };
    }
    const { childAgentId } = input;
    const child = (await keepAgents(trx, parent.session.workspace_id, [childAgentId])).get(childAgentId);
    if (child === undefined || child.isArchived) {
      return { result: child === undefined ? 'no_such_agent' : 'agent_archived' };
    }
    const grantId = await takeSpawnGrant(trx, {
      sessionId: parent.session.id,
      childAgentId: input.childAgentId,
      childId: id,
    });
    if (grantId === null) {
      return { result: 'permission_required' };
    }
    await requireRoomInTree(trx, parent.lineage, quotas);
    const { workspace_id: workspaceId } = parent.session;
    await requireSessionQuotas(trx, { userId: chargedPersonOf(parent.session), workspaceId }, quotas);
    return { result: 'spawned', session: await insert(trx, parent.session, { ...input, id, grantId }) };
  });
}

/**
 * The session, and its lineage, root first; quotas before the tree, as everywhere. Null for a session that
 * does not exist.
 */
async function lockParent(
  trx: Transaction,
  id: string,
): Promise<{ session: Session; lineage: string[] } | null> {
  const before = await readSession(trx, id);
  if (before === null) {
    return null;
  }
  const [userId, workspaceId] = [chargedPersonOf(before), before.workspace_id];
  await (userId === null ? lockQuota(trx, { workspaceId }) : lockBothQuotas(trx, { userId, workspaceId }));
  const lineage = await lockTree(trx, id);
  const session = await readSession(trx, id);
  return session === null ? null : { session, lineage };
}

async function insert(
  trx: Transaction,
  parent: Session,
  { id, grantId, childAgentId, prompt, label }: Spawning & { id: string; grantId: string },
): Promise<Session> {
  const by = { type: 'agent', id: parent.agent_id } as const;
  const child = await createSession(
    trx,
    {
      id,
      workspaceId: parent.workspace_id,
      agentId: childAgentId,
      // Nobody drives it: the person at the root reads, decides and ends.
      operatorId: null,
      rootOperatorId: parent.root_operator_id,
      parentSessionId: parent.id,
      prompt,
      ...inheritedSchedule(parent),
    },
    { by, grantedVia: grantId },
  );
  await insertChild(trx, { sessionId: id, grantId, label });
  await appendSessionEvent(trx, parent.id, {
    id: derivedId(id, 'child_started'),
    type: 'child.started',
    actor: by,
    payload: { session_id: id, agent_id: childAgentId, label },
  });
  return child;
}

/** A schedule's maker reads and ends what its sessions start, too. */
function inheritedSchedule({
  schedule_id: id,
  schedule_maker_id: makerId,
}: Session): Pick<NewSession, 'schedule'> {
  return id === null || makerId === null ? {} : { schedule: { id, makerId, requestExpirySeconds: null } };
}
