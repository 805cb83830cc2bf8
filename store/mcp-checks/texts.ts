/**
 * A check's output and listings, sealed like secrets, each bound to its own row; the name cannot
 * collide with a secret's.
 */

import type { Db } from '../database.ts';
import { type MasterKeys, open, type SecretIdentity, seal } from '../secrets/envelope.ts';
import { columnsOf, sealedOf } from '../secrets/sealed-columns.ts';

export interface CheckTextKey {
  workspaceId: string;
  checkId: string;
  /**
   * `raw_listing`: may hold secret values that its server included; never shown, and
   * erased when the check ends.
   */
  kind: 'output' | 'raw_listing' | 'listing';
}

export interface CheckText {
  bytes: Buffer;
  writtenBytes: number;
  updatedAt: string;
}

const identityOf = ({ workspaceId, checkId, kind }: CheckTextKey): SecretIdentity => ({
  workspaceId,
  name: `check/${checkId}/${kind}`,
});

/** Replaces any stored text. */
export async function storeCheckText(
  db: Db,
  keys: MasterKeys,
  key: CheckTextKey,
  { bytes, writtenBytes }: { bytes: Buffer; writtenBytes: number },
): Promise<void> {
  await db('mcp_check_texts')
    .insert({
      check_id: key.checkId,
      kind: key.kind,
      ...columnsOf(seal(keys, identityOf(key), bytes)),
      size_bytes: bytes.length,
      written_bytes: Math.max(bytes.length, writtenBytes),
      updated_at: db.fn.now(),
    })
    .onConflict(['check_id', 'kind'])
    .merge();
}

/** Null when there is none. Throws UnreadableSecretError when the key that sealed it is missing. */
export async function readCheckText(db: Db, keys: MasterKeys, key: CheckTextKey): Promise<CheckText | null> {
  const row = await db('mcp_check_texts').where({ check_id: key.checkId, kind: key.kind }).first();
  if (row === undefined) {
    return null;
  }
  const bytes = open(keys, identityOf(key), sealedOf(row));
  return { bytes, writtenBytes: row.written_bytes, updatedAt: row.updated_at };
}

/** Size of the kept output in bytes; null when there is none. */
export async function readOutputSize(db: Db, checkId: string): Promise<number | null> {
  const row = await db('mcp_check_texts').where({ check_id: checkId, kind: 'output' }).first('size_bytes');
  return row?.size_bytes ?? null;
}

export async function eraseCheckText(db: Db, { checkId, kind }: CheckTextKey): Promise<void> {
  await db('mcp_check_texts').where({ check_id: checkId, kind }).delete();
}
