/** Reads metadata of secrets; nothing here decrypts one. */
import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type SecretMetadata, secretMetadata } from '../../contract/secret.ts';
import type { KnownSecret } from '../../contract/secret-use.ts';
import { type Db, prepared } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { readRows } from '../read-rows.ts';
import { metadataColumns } from './row.ts';

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
export type SealedSecretRow = z.infer<typeof sealedSecret>;

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
