/**
 * All that is sealed under master keys: no process serves with keys that cannot open it, and what older ones
 * sealed is sealed again, so that they can be retired (docs/operations.md#keys).
 */

import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type Db, inTransaction, type Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { type MasterKeys, open, type SealedSecret, seal, UnreadableSecretError } from './envelope.ts';
import { columnsOf } from './sealed-columns.ts';

/** Where values are kept that are sealed for as long as they exist. */
const sealedTables = ['workspace_secrets', 'oauth_credentials', 'permission_request_calls'] as const;
type SealedTable = (typeof sealedTables)[number];

/** The values of a table: a secret that is not set has none. */
const sealedValues = (db: Db, table: SealedTable) => db(table).whereNotNull('sealed_value');

/** A sealed value as it is stored, with what its seal is bound to. */
const storedSecret = z.object({
  id: uuid,
  workspaceId: uuid,
  name: z.string(),
  sealedValue: z.instanceof(Buffer),
  sealedDataKey: z.instanceof(Buffer),
  keyId: z.string(),
});
type StoredSecret = z.infer<typeof storedSecret>;

/** For `select`. */
const storedSecretColumns = {
  id: 'id',
  workspaceId: 'workspace_id',
  name: 'name',
  sealedValue: 'sealed_value',
  sealedDataKey: 'sealed_data_key',
  keyId: 'key_id',
};

/** Sorts before every id: the start of keyset paging. */
const lowestId = '00000000-0000-0000-0000-000000000000';

interface Reencryption {
  reencrypted: number;
  /** Secrets left unchanged: a sentence for each, without a value. */
  unreadable: string[];
}

/**
 * How many values each master key seals, by the key's id: set secrets, credentials of OAuth, and refused
 * calls.
 */
export async function countSecretsByKey(db: Db): Promise<{ keyId: string; count: number }[]> {
  const counts = new Map<string, number>();
  for (const table of sealedTables) {
    const query = sealedValues(db, table)
      .groupBy('key_id')
      .select({ keyId: 'key_id' }, db.raw('count(*)::int as count'));
    for (const { keyId, count } of await readRows(query, z.object({ keyId: z.string(), count: z.int() }))) {
      counts.set(keyId, (counts.get(keyId) ?? 0) + count);
    }
  }
  return [...counts].map(([keyId, count]) => ({ keyId, count })).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
}

/**
 * Reseals with the first master key, and a new data key, every stored value sealed with another one. Nothing
 * else of a row changes: sessions that froze its version still start with it. Each batch is one transaction
 * that holds its rows' locks, so that concurrent writes are kept; the next run resumes after a killed one.
 * `onBatch` receives how many are done so far.
 */
export async function reencryptSecrets(
  db: Db,
  keys: MasterKeys,
  { batchSize = 100, onBatch }: { batchSize?: number; onBatch?: (reencrypted: number) => void } = {},
): Promise<Reencryption> {
  let reencrypted = 0;
  for (;;) {
    const pass = await reencryptOnce(db, keys, batchSize, (count) => onBatch?.(reencrypted + count));
    reencrypted += pass.reencrypted;
    // A process that does not have the newest key yet may have written values behind this pass.
    if (pass.reencrypted === 0) {
      return { reencrypted, unreadable: pass.unreadable };
    }
  }
}

async function reencryptOnce(
  db: Db,
  keys: MasterKeys,
  batchSize: number,
  onBatch: (reencrypted: number) => void,
): Promise<Reencryption> {
  const pass: Reencryption = { reencrypted: 0, unreadable: [] };
  for (const table of sealedTables) {
    let after: string | null = lowestId;
    while (after !== null) {
      const from: Batch = { table, after, size: batchSize };
      const batch = await inTransaction(db, (trx) => reencryptBatch(trx, keys, from));
      pass.unreadable.push(...batch.unreadable);
      if (batch.reencrypted > 0) {
        pass.reencrypted += batch.reencrypted;
        onBatch(pass.reencrypted);
      }
      after = batch.last;
    }
  }
  return pass;
}

interface Batch {
  table: SealedTable;
  /** The id that its first comes after. */
  after: string;
  size: number;
}

/** `last`: the id that the next batch comes after; null when there is none. */
async function reencryptBatch(
  trx: Transaction,
  keys: MasterKeys,
  { table, after, size }: Batch,
): Promise<Reencryption & { last: string | null }> {
  const older = () =>
    sealedValues(trx, table)
      .andWhereNot('key_id', keys[0]?.id ?? '')
      .orderBy('id');
  const ids = await older().andWhere('id', '>', after).limit(size).pluck('id');
  // Skips rows that were rewritten while this waited for their locks. Locks in the order of ids, so that two
  // concurrent runs do not deadlock.
  const rows = await readRows(
    older().whereIn('id', ids).forUpdate().select(storedSecretColumns),
    storedSecret,
  );
  const unreadable: string[] = [];
  for (const row of rows) {
    const problem = await reencryptRow(trx, keys, { table, row });
    unreadable.push(...(problem === null ? [] : [problem]));
  }
  return { reencrypted: rows.length - unreadable.length, unreadable, last: ids.at(-1) ?? null };
}

/** Null on success, else why its value cannot be decrypted. */
async function reencryptRow(
  trx: Transaction,
  keys: MasterKeys,
  { table, row }: { table: SealedTable; row: StoredSecret },
): Promise<string | null> {
  const sealed = resealed(keys, row);
  if (typeof sealed === 'string') {
    return sealed;
  }
  await trx(table).where({ id: row.id }).update(columnsOf(sealed));
  return null;
}

function resealed(keys: MasterKeys, row: StoredSecret): SealedSecret | string {
  try {
    const plaintext = open(keys, row, row);
    try {
      return seal(keys, row, plaintext);
    } finally {
      plaintext.fill(0);
    }
  } catch (error) {
    if (error instanceof UnreadableSecretError) {
      return `${error.message} (workspace ${row.workspaceId})`;
    }
    throw error;
  }
}

const batchSize = 1000;

/**
 * Decrypts and discards every stored value once, in batches: a damaged row is found here and not in a
 * session. Memory is bounded by the batch; the time grows with the number of set secrets only. Throws
 * UnreadableSecretError that names MASTER_KEYS and the first secret that cannot be decrypted.
 */
export async function verifyMasterKeys(db: Db, keys: MasterKeys): Promise<{ verified: number }> {
  let verified = 0;
  for (const table of sealedTables) {
    verified += await verifyTable(db, keys, table);
  }
  return { verified };
}

async function verifyTable(db: Db, keys: MasterKeys, table: SealedTable): Promise<number> {
  let verified = 0;
  let after = lowestId;
  for (;;) {
    const query = sealedValues(db, table)
      .andWhere('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .select(storedSecretColumns);
    const rows = await readRows(query, storedSecret);
    for (const row of rows) {
      verify(keys, row);
      after = row.id;
    }
    verified += rows.length;
    if (rows.length < batchSize) {
      return verified;
    }
  }
}

function verify(keys: MasterKeys, row: StoredSecret): void {
  try {
    open(keys, row, row).fill(0);
  } catch (error) {
    const reason = error instanceof UnreadableSecretError ? error.message : 'a stored secret does not open';
    throw new UnreadableSecretError(
      `MASTER_KEYS does not fit this database: ${reason} (workspace ${row.workspaceId})`,
    );
  }
}
