import type { User } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';

/** The person with this `(issuer, subject)`, added or brought up to date. E-mail and name are for display only (design 4). */
export async function upsertUser(
  db: Db,
  person: { issuer: string; subject: string; email: string; name: string },
): Promise<User> {
  const [user] = await db('users')
    .insert(person)
    .onConflict(['issuer', 'subject'])
    .merge(['email', 'name'])
    .returning(['id', 'email', 'name']);
  return user;
}
