/** By what an identity provider names people: issuer and subject. An e-mail address says nothing of who somebody is. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type User, user } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';

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
