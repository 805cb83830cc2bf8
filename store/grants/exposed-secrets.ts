import type { Grant, SecretGrantType } from '../../contract/grant.ts';
import type { Db } from '../database.ts';
import { listActiveGrantsOfSession } from './read.ts';

/** Names of the secrets that active grants of that type let this session's agent hold, or use as the key of its model access. */
export async function readGrantedSecrets(
  db: Db,
  sessionId: string,
  grantType: SecretGrantType,
): Promise<Set<string>> {
  const grants = await listActiveGrantsOfSession(db, sessionId, grantType);
  return new Set(grants.map(secretNameOf));
}

/** The secret that such a grant is about. */
export const secretNameOf = (grant: Grant) => String(grant.details['secret_name']);
