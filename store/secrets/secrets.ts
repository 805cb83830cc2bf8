/** Secrets of a workspace: names, restrictions and sealed values. Nothing here decrypts one. */

import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type SecretMetadata, secretMetadata } from '../../contract/secret.ts';
import type { KnownSecret } from '../../contract/secret-use.ts';
import { type Db, prepared, type Transaction } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import type { SealedSecret } from './envelope.ts';
import { columnsOf } from './sealed-columns.ts';

/**
 * The columns that may be returned: exactly the metadata of `contract/secret.ts`. The sealed columns are
 * never selected with it.
 */
const metadataColumns = ['name', 'is_set', 'created_at', 'updated_at', 'updated_by'] as const;

type SecretMetadataRow = SecretMetadata & { id: string };

function presentSecret(row: SecretMetadataRow): SecretMetadata {
  return {
    name: row.name,
    is_set: row.is_set,
    created_at: row.created_at,
    updated_at: row.updated_at,
    updated_by: row.updated_by,
  };
}

/** A workspace's secrets by name: metadata only. Throws InvalidCursorError. */
export async function listSecrets(
  db: Db,
  workspaceId: string,
  page: PageQuery,
): Promise<Page<SecretMetadata>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('workspace_secrets')
    .where({ workspace_id: workspaceId })
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name')
    .select(metadataColumns);
  const { rows, nextCursor } = await readPage(db, query, secretMetadata, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}

/** Which entries may use the secret; null when there is no such name. */
export async function readRestriction(
  db: Db,
  workspaceId: string,
  name: string,
): Promise<{ allowedServers: string[] | null } | null> {
  const row = await db('workspace_secrets')
    .where({ workspace_id: workspaceId, name })
    .first('allowed_servers');
  return row === undefined ? null : { allowedServers: row.allowed_servers };
}

/** Which entries may use each of the named secrets; null means any. */
export async function listRestrictions(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string[] | null>> {
  const rows = await db('workspace_secrets')
    .where({ workspace_id: workspaceId })
    .whereIn('name', [...names])
    .select('name', 'allowed_servers');
  return new Map(rows.map(({ name, allowed_servers: allowed }) => [name, allowed]));
}

/** What validation needs to know of the named secrets; names that do not exist are absent. */
export async function readKnownSecrets(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, KnownSecret & { version: number }>> {
  const rows = await db('workspace_secrets')
    .where({ workspace_id: workspaceId })
    .whereIn('name', [...names])
    .select('name', 'is_set', 'allowed_servers', 'version');
  return new Map(rows.map(({ name, ...known }) => [name, known]));
}

const sealedSecret = z.object({
  name: z.string(),
  /** Compared with the version that was frozen into the session. */
  version: z.int(),
  sealedValue: z.instanceof(Buffer),
  sealedDataKey: z.instanceof(Buffer),
  keyId: z.string(),
});
type SealedSecretRow = z.infer<typeof sealedSecret>;

/** The sealed values of those of the named secrets that are set. Runs at every launch. */
export async function readSealed(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<SealedSecretRow[]> {
  const statement = prepared(
    db,
    'read-sealed-secrets',
    `select name, version, sealed_value as "sealedValue", sealed_data_key as "sealedDataKey", key_id as "keyId"
     from workspace_secrets where workspace_id = $1 and name = any($2::text[]) and is_set`,
    [workspaceId, names],
  );
  return readRows(statement, sealedSecret);
}

export interface SecretKey {
  workspaceId: string;
  name: string;
}

interface LockedSecret {
  id: string;
  metadata: SecretMetadata;
  /** Which entries may use it; null means any. */
  allowedServers: string[] | null;
}

/** Adds a secret without a value, unless there is one of that name. */
export async function insertEmptySecret(trx: Transaction, { workspaceId, name }: SecretKey): Promise<void> {
  await trx('workspace_secrets')
    .insert({ workspace_id: workspaceId, name })
    .onConflict(['workspace_id', 'name'])
    .ignore();
}

/** The secret, locked until the transaction ends; null for an unknown name. */
export async function lockSecret(
  trx: Transaction,
  { workspaceId, name }: SecretKey,
): Promise<LockedSecret | null> {
  const row = await trx('workspace_secrets')
    .where({ workspace_id: workspaceId, name })
    .forUpdate()
    .first('id', ...metadataColumns, 'allowed_servers');
  return row === undefined
    ? null
    : { id: row.id, metadata: presentSecret(row), allowedServers: row.allowed_servers };
}

/** Stores the value as a new version. */
export function storeSealedValue(
  trx: Transaction,
  id: string,
  sealed: SealedSecret,
  userId: string,
): Promise<SecretMetadata> {
  return update(trx, id, { ...columnsOf(sealed), version: trx.raw('version + 1') }, userId);
}

/** Erases the value, which counts as a new version. */
export function eraseSealedValue(trx: Transaction, id: string, userId: string): Promise<SecretMetadata> {
  const erased = { sealed_value: null, sealed_data_key: null, key_id: null };
  return update(trx, id, { ...erased, version: trx.raw('version + 1') }, userId);
}

/** Stores which entries may use the secret; null means any. */
export function storeRestriction(
  trx: Transaction,
  id: string,
  allowedServers: readonly string[] | null,
  userId: string,
): Promise<SecretMetadata> {
  return update(trx, id, { allowed_servers: allowedServers }, userId);
}

async function update(
  trx: Transaction,
  id: string,
  fields: Record<string, unknown>,
  userId: string,
): Promise<SecretMetadata> {
  const rows = await trx('workspace_secrets')
    .where({ id })
    .update({ ...fields, updated_at: trx.fn.now(), updated_by: userId })
    .returning(['id', ...metadataColumns]);
  return presentSecret(onlyRow(rows));
}
