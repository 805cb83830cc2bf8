/** A session starts another one as its child, under a grant and within the quotas of its tree. */
import { chargedPersonOf, isTerminal, type Session } from '../../contract/session.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockBothQuotas, lockQuota, QuotaExceededError } from '../../store/quotas/quotas.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import type { NewSession } from '../../store/sessions/insert.ts';
import { readSession } from '../../store/sessions/read-session.ts';
import { readRequestedEnding } from '../../store/sessions/status.ts';
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
import { createSession } from './create.ts';

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
      ...scheduleOf(parent),
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
function scheduleOf({ schedule_id: id, schedule_maker_id: makerId }: Session): Pick<NewSession, 'schedule'> {
  return id === null || makerId === null ? {} : { schedule: { id, makerId, requestExpirySeconds: null } };
}
