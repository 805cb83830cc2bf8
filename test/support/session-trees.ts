/** Trees of sessions, through the platform's own commands. */
import { randomUUID } from 'node:crypto';
import { writeGrant } from '../../commands/grants/write.ts';
import { type Spawned, type SpawnQuotas, spawnSession } from '../../commands/sessions/create.ts';
import type { Agent } from '../../contract/agent.ts';
import type { ApprovalClaims } from '../../contract/approval.ts';
import type { Grant } from '../../contract/grant.ts';
import type { Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { storeConfiguration } from '../../store/session-configurations/configurations.ts';
import { frozenFor, grantFor } from './granted.ts';
import type { Tenant } from './tenant.ts';

/** Wide enough for a test of something else. */
export const wideQuotas: SpawnQuotas = {
  LIMIT_SESSION_TREE_DEPTH: 3,
  LIMIT_SESSIONS_PER_TREE: 1000,
  LIMIT_RUNNING_CHILDREN_PER_SESSION: 1000,
  LIMIT_RUNNING_SESSIONS_PER_USER: 1000,
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: 1000,
  RATE_SESSIONS_PER_HOUR_PER_USER: 1000,
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: 1000,
};

/** Stores what a session of the agent freezes at its launch, without servers. */
export async function freeze(db: Db, session: Session, agent: Agent): Promise<Session> {
  await storeConfiguration(db, { ...frozenFor(session, agent), servers: [] });
  return session;
}

/** A session of an orchestrator at the root of a tree, driven by Max. */
export async function rootSession(db: Db, tenant: Tenant): Promise<{ agent: Agent; session: Session }> {
  const agent = await tenant.agent({ kind: 'orchestrator' });
  return { agent, session: await freeze(db, await tenant.session(agent), agent) };
}

/**
 * A grant by which the session's agent may start sessions of another one: for all its
 * sessions unless said otherwise.
 */
export function grantSpawn(
  db: Db,
  parent: Session,
  child: Agent,
  content: Partial<ApprovalClaims['grant']> = {},
): Promise<Grant> {
  const grant = grantFor(parent, {
    grant_type: 'spawn',
    details: { child_agent_id: child.id },
    scope: 'persistent',
    granted_by_user_id: parent.root_operator_id ?? '',
    ...content,
  });
  return inTransaction(db, (trx) => writeGrant(trx, grant));
}

/** One call of the parent that starts a child; each has an id of its own unless a test sends one again. */
export function spawn(
  db: Db,
  parent: Session,
  child: Agent,
  { callId = randomUUID(), quotas = {} }: { callId?: string; quotas?: Partial<SpawnQuotas> } = {},
): Promise<Spawned> {
  const input = { callId, parentSessionId: parent.id, childAgentId: child.id, prompt: 'Do it', label: null };
  return spawnSession(db, input, { ...wideQuotas, ...quotas });
}

/** As `spawn`, under a persistent grant, but must succeed; the child has a frozen configuration. */
export async function childOf(db: Db, parent: Session, agent: Agent): Promise<Session> {
  await grantSpawn(db, parent, agent);
  const spawned = await spawn(db, parent, agent);
  if (spawned.result !== 'spawned') {
    throw new Error(`no child was started: ${spawned.result}`);
  }
  return freeze(db, spawned.session, agent);
}
