/** Sign-ins begin with a cookie and end when they are revoked or expire. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../database.ts';

/** Records a sign-in and returns its id, the cookie's `sid`. */
export async function createSignIn(db: Db, userId: string, lifetimeSeconds: number): Promise<string> {
  const id = randomUUID();
  await db('sign_ins').insert({
    id,
    user_id: userId,
    expires_at: db.raw('now() + make_interval(secs => ?)', [lifetimeSeconds]),
  });
  return id;
}

/** Ends all sign-ins of a user. Idempotent. */
export async function revokeSignInsOfUser(db: Db, userId: string): Promise<void> {
  await db('sign_ins').where({ user_id: userId, revoked_at: null }).update({ revoked_at: db.fn.now() });
}

/** Ends a sign-in: its cookie is refused from now on. Idempotent. */
export async function revokeSignIn(db: Db, id: string): Promise<void> {
  await db('sign_ins').where({ id, revoked_at: null }).update({ revoked_at: db.fn.now() });
}
