import type { User } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';
import { onlyRow } from '../read-rows.ts';

/**
 * Inserts or updates the person with this `(issuer, subject)`. Name and e-mail are for display; an address verified
 * by the provider also finds the person when an admin adds them to a workspace.
 */
export async function upsertUser(
  db: Db,
  person: { issuer: string; subject: string; email: string; name: string; email_verified?: boolean },
): Promise<User> {
  const rows = await db('users')
    .insert({ email_verified: false, ...person })
    .onConflict(['issuer', 'subject'])
    .merge(['email', 'name', 'email_verified'])
    .returning(['id', 'email', 'name']);
  return onlyRow(rows);
}
