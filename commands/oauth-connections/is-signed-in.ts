import type { Db } from '../../store/database.ts';
import { hasRefreshToken } from '../../store/oauth-connections/change.ts';
import { readConnection } from '../../store/oauth-connections/read.ts';
import { type Binding, isBoundTo } from './binding.ts';

/** Time that a token without a refresh token has to be good for: less would end before the agent calls anything. */
const shortestUseMs = 60_000;

/** Whether the person has a sign-in there that can be used, as far as the platform knows without asking the server. */
export async function isSignedIn(db: Db, userId: string, binding: Binding): Promise<boolean> {
  const connection = await readConnection(db, { registrationId: binding.registration.id, userId });
  if (connection === null || !isBoundTo(connection, binding)) {
    return false;
  }
  const { expires_at: expiresAt } = connection;
  const isLate = expiresAt !== null && Date.parse(expiresAt) - shortestUseMs <= Date.now();
  return !isLate || (await hasRefreshToken(db, connection));
}
