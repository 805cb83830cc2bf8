/** Passkeys of people: the public half of each, and how often it was used. */
import { type Passkey, type PasskeyCredential, passkey, passkeyCredential } from '../../contract/passkey.ts';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** What an answer of a passkey is checked against. */
export interface StoredPasskey extends PasskeyCredential {
  id: string;
  name: string;
  publicKey: Buffer;
  signCount: number;
  origin: string;
}

const shownColumns = ['id', 'name', 'origin', 'created_at', 'last_used_at'] as const;

/** The one row that a change returns, if any. */
const changed = async (query: PromiseLike<unknown>): Promise<Passkey | null> =>
  (await readRows(query, passkey))[0] ?? null;

/** A person's own, oldest first. */
export async function listPasskeys(db: Db, userId: string): Promise<Passkey[]> {
  const query = db('passkeys').where({ user_id: userId }).orderBy(['created_at', 'id']);
  return readRows(query.select(shownColumns), passkey);
}

/** Those of a person that can answer at an address of the platform. */
export async function listCredentials(
  db: Db,
  { userId, origin }: { userId: string; origin: string },
): Promise<PasskeyCredential[]> {
  const query = db('passkeys').where({ user_id: userId, origin }).orderBy(['created_at', 'id']);
  return readRows(query.select('credential_id', 'transports'), passkeyCredential);
}

/** The person's passkey that has this credential; null when it is another person's, or was removed. */
export async function readPasskey(
  db: Db,
  key: { userId: string; credentialId: string },
): Promise<StoredPasskey | null> {
  const row = await ownedBy(db, key).first();
  return row === undefined ? null : storedPasskey(row);
}

/** The same; nobody else can use, rename or remove it until the transaction ends. */
export async function lockPasskey(
  trx: Transaction,
  key: { userId: string; credentialId: string },
): Promise<StoredPasskey | null> {
  const row = await ownedBy(trx, key).forUpdate().first();
  return row === undefined ? null : storedPasskey(row);
}

const ownedBy = (db: Db, { userId, credentialId }: { userId: string; credentialId: string }) =>
  db('passkeys').where({ user_id: userId, credential_id: credentialId });

function storedPasskey(row: {
  id: string;
  name: string;
  credential_id: string;
  transports: string[];
  public_key: Buffer;
  sign_count: number;
  origin: string;
}): StoredPasskey {
  return {
    id: row.id,
    name: row.name,
    credential_id: row.credential_id,
    transports: row.transports,
    publicKey: row.public_key,
    signCount: Number(row.sign_count),
    origin: row.origin,
  };
}

/** Stores one; null when the credential is registered already, by whomever. */
export async function insertPasskey(
  trx: Transaction,
  made: StoredPasskey & { userId: string },
): Promise<Passkey | null> {
  const query = trx('passkeys')
    .insert({
      id: made.id,
      user_id: made.userId,
      name: made.name,
      credential_id: made.credential_id,
      public_key: made.publicKey,
      sign_count: made.signCount,
      transports: made.transports,
      origin: made.origin,
    })
    .onConflict('credential_id')
    .ignore()
    .returning([...shownColumns]);
  return changed(query);
}

/** Records that it approved something, with the count that its authenticator gave. */
export async function recordPasskeyUse(trx: Transaction, id: string, signCount: number): Promise<void> {
  await trx('passkeys').where({ id }).update({ sign_count: signCount, last_used_at: trx.fn.now() });
}

/** The person's own with its new name; null when there is none. */
export async function renamePasskeyRow(
  trx: Transaction,
  { id, userId, name }: { id: string; userId: string; name: string },
): Promise<Passkey | null> {
  const query = trx('passkeys')
    .where({ id, user_id: userId })
    .update({ name })
    .returning([...shownColumns]);
  return changed(query);
}

/** Removes the person's own, and returns what it was; null when there was none. */
export async function deletePasskey(
  trx: Transaction,
  { id, userId }: { id: string; userId: string },
): Promise<Passkey | null> {
  const query = trx('passkeys')
    .where({ id, user_id: userId })
    .delete()
    .returning([...shownColumns]);
  return changed(query);
}

/** One at a time changes how many passkeys a person has. */
export async function lockPasskeysOf(trx: Transaction, userId: string): Promise<number> {
  await trx('users').where({ id: userId }).forUpdate().first('id');
  return (await trx('passkeys').where({ user_id: userId }).select('id')).length;
}
