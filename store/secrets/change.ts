import type { SecretMetadata } from '../../contract/secret.ts';
import type { Transaction } from '../database.ts';
import { onlyRow } from '../read-rows.ts';
import type { SealedSecret } from './envelope.ts';
import { metadataColumns, presentSecret } from './row.ts';

export interface SecretKey {
  workspaceId: string;
  name: string;
}

export interface LockedSecret {
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
  { sealedValue, sealedDataKey, keyId }: SealedSecret,
  userId: string,
): Promise<SecretMetadata> {
  const sealed = { sealed_value: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId };
  return update(trx, id, { ...sealed, version: trx.raw('version + 1') }, userId);
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
