/** Reading people. */
import type { User } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';

export async function readUser(db: Db, id: string): Promise<User | null> {
  return (await db('users').where({ id }).first('id', 'email', 'name')) ?? null;
}

/** The person of this issuer with this e-mail address. For issuers of ours only: elsewhere an address proves nothing (design 4). */
export async function findUserByEmail(db: Db, issuer: string, email: string): Promise<User | null> {
  const query = db('users').where({ issuer }).whereRaw('lower(email) = lower(?)', [email]);
  return (await query.orderBy('created_at').first('id', 'email', 'name')) ?? null;
}
