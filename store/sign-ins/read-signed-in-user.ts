import { type User, user } from '../../contract/workspace.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** The user of a sign-in that is neither revoked nor expired, or null. Runs with every request of a user. */
export async function readSignedInUser(
  db: Db,
  { userId, signInId }: { userId: string; signInId: string },
): Promise<User | null> {
  const statement = prepared(
    db,
    'read-signed-in-user',
    `select u.id, u.email, u.name from sign_ins s join users u on u.id = s.user_id
     where s.id = $1 and s.user_id = $2 and s.revoked_at is null and s.expires_at > now()`,
    [signInId, userId],
  );
  const [found] = await readRows(statement, user);
  return found ?? null;
}
