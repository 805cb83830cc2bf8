/**
 * Grants that the platform itself uses: those that lead a session's agent to secrets, at its launch (zone 2,
 * and the key of its model access), and the one under which it starts a child. Grants of tools are used by
 * the check of a call.
 */
import type { Grant } from '../../contract/grant.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { consumeGrant, insertGrantUse, isUsed, lockActiveGrant } from '../../store/grants/change.ts';
import {
  listActiveGrantsOfSession,
  listSecretGrants,
  type SecretGrants,
  secretNameOf,
} from '../../store/grants/read.ts';
import { contentOf, grantResource } from '../../store/grants/row.ts';
import { derivedId } from '../../store/session-events/append.ts';

/**
 * Locks and rechecks an agent's grant, and consumes a `once` grant with its audit event. False for one that
 * was revoked or consumed meanwhile, which is not used.
 */
async function takeGrant(trx: Transaction, grant: Grant, sessionId: string): Promise<boolean> {
  if (grant.scope !== 'once') {
    return lockActiveGrant(trx, grant.id);
  }
  if (!(await consumeGrant(trx, grant.id))) {
    return false;
  }
  await appendAuditEvent(trx, {
    workspaceId: grant.workspace_id,
    event: 'grant.consumed',
    actor: { type: 'agent', id: grant.agent_subject_id },
    resource: grantResource(grant),
    sessionId,
    data: contentOf(grant),
  });
  return true;
}

interface SecretUse extends SecretGrants {
  secretName: string;
}

/**
 * Uses one grant of the type for each of the secrets, and consumes the `once` grants among them. Returns the
 * names that no active grant covers. Idempotent: a session's use of a secret counts once.
 */
export function useSecretGrants(
  db: Db,
  { secretNames, ...grants }: SecretGrants & { secretNames: readonly string[] },
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const refused: string[] = [];
    for (const secretName of secretNames) {
      if (!(await use(trx, { ...grants, secretName }))) {
        refused.push(secretName);
      }
    }
    return refused;
  });
}

/** Of the use of a secret by a session. */
const useIdOf = ({ sessionId, grantType, secretName, endpoint }: SecretUse) =>
  derivedId(sessionId, grantType, secretName, ...(endpoint === null ? [] : [endpoint]));

async function listFittingGrants(trx: Transaction, { secretName, ...wanted }: SecretUse) {
  const grants = await listSecretGrants(trx, wanted);
  return grants.filter((grant) => secretNameOf(grant) === secretName);
}

async function use(trx: Transaction, wanted: SecretUse): Promise<boolean> {
  const { sessionId, secretName } = wanted;
  const id = useIdOf(wanted);
  if (await isUsed(trx, id)) {
    return true;
  }
  const fitting = await listFittingGrants(trx, wanted);
  for (const grant of fitting.sort((a, b) => Number(a.scope === 'once') - Number(b.scope === 'once'))) {
    if (await takeGrant(trx, grant, sessionId)) {
      await insertGrantUse(trx, { id, grantId: grant.id, sessionId, server: '', tool: secretName });
      return true;
    }
  }
  return false;
}

/**
 * Whether the session may still use a secret that it started with: the grant of its start was not revoked
 * since, or another one is active. It locks no grant, so that a revocation, which locks the grant first and
 * then writes to sessions, waits for nothing here.
 */
export async function maySessionUseSecret(trx: Transaction, wanted: SecretUse): Promise<boolean> {
  return (await isUsed(trx, useIdOf(wanted))) || (await listFittingGrants(trx, wanted)).length > 0;
}

/**
 * The active grants under which a session may start others. One that is bound to a tool permits calls of that
 * tool, and starts nothing.
 */
export async function listSpawnGrants(db: Db, sessionId: string): Promise<Grant[]> {
  const grants = await listActiveGrantsOfSession(db, sessionId, 'spawn');
  return grants.filter(({ bound_to }) => bound_to === null || bound_to.tool === null);
}

/** The agent that a `spawn` grant lets its holder start. */
export const childAgentOf = ({ details }: Grant): string => String(details['child_agent_id']);

/** A `once` grant is used only when nothing else fits. */
const widestFirst: Grant['scope'][] = ['persistent', 'session', 'once'];

/**
 * Uses one active `spawn` grant of the session's agent, and consumes it when it is a `once` grant. Returns
 * its id, or null when no grant permits this child. The caller inserts the child in the same transaction, and
 * sees to it that a child uses one grant.
 */
export async function takeSpawnGrant(
  trx: Transaction,
  { sessionId, childAgentId, childId }: { sessionId: string; childAgentId: string; childId: string },
): Promise<string | null> {
  const grants = await listSpawnGrants(trx, sessionId);
  const fitting = grants.filter((grant) => childAgentOf(grant) === childAgentId);
  fitting.sort((a, b) => widestFirst.indexOf(a.scope) - widestFirst.indexOf(b.scope));
  for (const grant of fitting) {
    if (await takeGrant(trx, grant, sessionId)) {
      await insertGrantUse(trx, {
        ...{ id: derivedId(childId, 'spawn'), grantId: grant.id, sessionId },
        ...{ server: platformServerName, tool: 'spawn_session' },
      });
      return grant.id;
    }
  }
  return null;
}
