/** Zone 2: the use of the grants that expose secrets to a session's agent, at its launch. */
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { insertGrantUse, isUsed } from '../../store/grants/change.ts';
import { secretNameOf } from '../../store/grants/exposed-secrets.ts';
import { listActiveGrantsOfSession } from '../../store/grants/read.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { takeGrant } from './take-grant.ts';

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
    if (await takeGrant(trx, grant, sessionId)) {
      await insertGrantUse(trx, { id, grantId: grant.id, sessionId, server: '', tool: secretName });
      return true;
    }
  }
  return false;
}
