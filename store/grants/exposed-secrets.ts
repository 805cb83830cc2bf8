import type { Grant } from '../../contract/grant.ts';
import type { Db } from '../database.ts';
import { listActiveGrantsOfSession } from './read.ts';

/** Names of the secrets that an active `agent_env` grant lets this session's agent hold. */
export async function readExposedSecrets(db: Db, sessionId: string): Promise<Set<string>> {
  const grants = await listActiveGrantsOfSession(db, sessionId, 'agent_env');
  return new Set(grants.map(secretNameOf));
}

/** The secret that an `agent_env` grant is about. */
export const secretNameOf = (grant: Grant) => String(grant.details['secret_name']);
