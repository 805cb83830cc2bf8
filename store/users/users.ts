/**
 * People, by id, address and identity: the issuer and subject by which a provider names them. An e-mail
 * address says nothing of who somebody is.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type User, user } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

export async function readUser(db: Db, id: string): Promise<User | null> {
  const found = await db('users').where({ id }).first('id', 'email', 'name');
  return found ?? null;
}

/**
 * The person of this issuer with this e-mail address. For our own issuers only: elsewhere an address proves
 * nothing.
 */
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
 * The one person with this address verified by their provider; null when there is none, or more than one.
 * Demo users count when their issuer is given.
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

/**
 * Inserts or updates the person with this `(issuer, subject)`. Name and e-mail are for display; an address
 * verified by the provider also finds the person when an admin adds them to a workspace.
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

const identity = z.object({ issuer: z.string(), subject: z.string() });
export type Identity = z.infer<typeof identity>;
const identifiedUser = user.extend(identity.shape);

/** The person who signs in as this, locked until the end of the transaction; null where nobody has. */
export async function lockUserByIdentity(
  trx: Transaction,
  { issuer, subject }: Identity,
): Promise<User | null> {
  const query = trx('users').where({ issuer, subject }).forUpdate().select('id', 'name', 'email');
  return (await readRows(query, user))[0] ?? null;
}

/** Everybody who has this address, in any case of its letters; who signed in first is first. */
export async function listUsersByAddress(db: Db, address: string): Promise<(User & Identity)[]> {
  const query = db('users')
    .whereRaw('lower(email) = lower(?)', [address])
    .orderBy('created_at')
    .select('id', 'name', 'email', 'issuer', 'subject');
  return readRows(query, identifiedUser);
}

/** The user signs in as `to` from now on; whoever did before gets `from` in exchange. */
export async function exchangeIdentity(
  trx: Transaction,
  userId: string,
  otherId: string | null,
  { from, to }: { from: Identity; to: Identity },
): Promise<void> {
  if (otherId !== null) {
    // No two may have the same, not even within the transaction.
    await trx('users')
      .where({ id: otherId })
      .update({ subject: `exchanged:${randomUUID()}` });
  }
  await trx('users').where({ id: userId }).update(to);
  if (otherId !== null) {
    await trx('users').where({ id: otherId }).update(from);
  }
}
