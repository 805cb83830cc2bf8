/** Reads users. */
import type { User } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';

export async function readUser(db: Db, id: string): Promise<User | null> {
  const found = await db('users').where({ id }).first('id', 'email', 'name');
  return found ?? null;
}

/** The person of this issuer with this e-mail address. For our own issuers only: elsewhere an address proves nothing. */
export async function findUserByEmail(db: Db, issuer: string, email: string): Promise<User | null> {
  const query = db('users').where({ issuer }).whereRaw('lower(email) = lower(?)', [email]);
  const found = await query.orderBy('created_at').first('id', 'email', 'name');
  return found ?? null;
}

/** Users of this issuer, oldest first. */
export async function listUsersOfIssuer(db: Db, issuer: string, limit: number): Promise<User[]> {
  const found = await db('users')
    .where({ issuer })
    .orderBy('created_at')
    .limit(limit)
    .select('id', 'email', 'name');
  return found;
}

/**
 * The one person with this address verified by their provider; null when there is none, or more than one. Demo users
 * count when their issuer is given.
 */
export async function findUserByVerifiedEmail(
  db: Db,
  email: string,
  { demoIssuer }: { demoIssuer: string | null },
): Promise<User | null> {
  const found = await db('users')
    .whereRaw('lower(email) = lower(?)', [email])
    .where((known) => known.where('email_verified', true).orWhere('issuer', demoIssuer))
    .limit(2)
    .select('id', 'email', 'name');
  return found.length === 1 ? (found[0] ?? null) : null;
}
