/** The use of the grants that lead a session's agent to secrets, at its launch: zone 2, and the key of its model access. */
import type { SecretGrantType } from '../../contract/grant.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { insertGrantUse, isUsed } from '../../store/grants/change.ts';
import { secretNameOf } from '../../store/grants/exposed-secrets.ts';
import { listActiveGrantsOfSession } from '../../store/grants/read.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { takeGrant } from './take-grant.ts';

interface SecretUse {
  sessionId: string;
  grantType: SecretGrantType;
  secretName: string;
}

/**
 * Uses one grant of the type for each of the secrets, and consumes the `once` grants among them. Returns the names that no active
 * grant covers. Idempotent: a session's use of a secret counts once.
 */
export function useSecretGrants(
  db: Db,
  {
    secretNames,
    ...grants
  }: { sessionId: string; grantType: SecretGrantType; secretNames: readonly string[] },
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
const useIdOf = ({ sessionId, grantType, secretName }: SecretUse) =>
  derivedId(sessionId, grantType, secretName);

async function listFittingGrants(trx: Transaction, { sessionId, grantType, secretName }: SecretUse) {
  const grants = await listActiveGrantsOfSession(trx, sessionId, grantType);
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
 * Whether the session may still use a secret that it started with: the grant of its start was not revoked since, or another one is active. It locks no
 * grant, so that a revocation, which locks the grant first and then writes to sessions, waits for nothing here.
 */
export async function maySessionUseSecret(trx: Transaction, wanted: SecretUse): Promise<boolean> {
  return (await isUsed(trx, useIdOf(wanted))) || (await listFittingGrants(trx, wanted)).length > 0;
}
