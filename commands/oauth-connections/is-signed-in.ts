import type { Db } from '../../store/database.ts';
import { hasRefreshToken } from '../../store/oauth-connections/change.ts';
import { readConnection } from '../../store/oauth-connections/read.ts';
import { type Binding, isBoundTo } from './binding.ts';
import { tokenEndOf } from './token-end.ts';

/** Whether the person has a sign-in there that can be used, as far as the platform knows without asking the server. */
export async function isSignedIn(db: Db, userId: string, binding: Binding): Promise<boolean> {
  const connection = await readConnection(db, { registrationId: binding.registration.id, userId });
  if (connection === null || !isBoundTo(connection, binding)) {
    return false;
  }
  // A token without a refresh token would end before the agent calls anything.
  return tokenEndOf(connection, Date.now()) === 'far' || (await hasRefreshToken(db, connection));
}
