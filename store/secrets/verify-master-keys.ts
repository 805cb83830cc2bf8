/** Fail-closed start: no process serves with master keys that cannot decrypt what is stored. */
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { type MasterKeys, open, UnreadableSecretError } from './envelope.ts';
import {
  lowestId,
  type SealedTable,
  type StoredSecret,
  sealedTables,
  sealedValues,
  storedSecret,
  storedSecretColumns,
} from './stored-secret.ts';

const batchSize = 1000;

/**
 * Decrypts and discards every stored value once, in batches: a damaged row is found here and not in a session.
 * Memory is bounded by the batch; the time grows with the number of set secrets only.
 * Throws UnreadableSecretError that names MASTER_KEYS and the first secret that cannot be decrypted.
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
