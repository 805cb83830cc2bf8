/** Zone 2: the use of the grants that expose secrets to a session's agent, at its launch. */
import type { Grant } from '../../contract/grant.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { consumeGrant, insertAgentEnvUse, isUsed, lockActiveGrant } from '../../store/grants/change.ts';
import { contentOf, grantResource } from '../../store/grants/content.ts';
import { secretNameOf } from '../../store/grants/exposed-secrets.ts';
import { listActiveGrantsOfSession } from '../../store/grants/read.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';

/**
 * Uses one grant for each of the secrets, and consumes the `once` grants among them. Returns the names that no active
 * grant covers. Idempotent: a session's use of a secret counts once.
 */
export function useAgentEnvGrants(
  db: Db,
  { sessionId, secretNames }: { sessionId: string; secretNames: readonly string[] },
): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const refused: string[] = [];
    for (const secretName of secretNames) {
      if (!(await use(trx, sessionId, secretName))) {
        refused.push(secretName);
      }
    }
    return refused;
  });
}

async function use(trx: Transaction, sessionId: string, secretName: string): Promise<boolean> {
  const id = derivedId(sessionId, 'agent_env', secretName);
  if (await isUsed(trx, id)) {
    return true;
  }
  const grants = await listActiveGrantsOfSession(trx, sessionId, 'agent_env');
  const fitting = grants.filter((grant) => secretNameOf(grant) === secretName);
  for (const grant of fitting.sort((a, b) => Number(a.scope === 'once') - Number(b.scope === 'once'))) {
    if (await take(trx, grant, sessionId)) {
      await insertAgentEnvUse(trx, { id, grantId: grant.id, sessionId, secretName });
      return true;
    }
  }
  return false;
}

/** Locks and rechecks the grant: one that was revoked or consumed meanwhile is not used. */
async function take(trx: Transaction, grant: Grant, sessionId: string): Promise<boolean> {
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
