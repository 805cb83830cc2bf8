/** Credentials of OAuth, sealed like workspace secrets. Their names cannot be those of secrets. */
import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { type MasterKeys, openText, seal } from '../secrets/envelope.ts';

export interface CredentialKey {
  workspaceId: string;
  name: string;
}

/** What a credential is deleted with. */
export type CredentialOwner =
  | { oauth_client_id: string }
  | { oauth_connection_id: string }
  | { oauth_authorization_id: string };

const sealedColumns = { sealedValue: 'sealed_value', sealedDataKey: 'sealed_data_key', keyId: 'key_id' };
const sealedRow = z.object({
  sealedValue: z.instanceof(Buffer),
  sealedDataKey: z.instanceof(Buffer),
  keyId: z.string(),
});

/** Replaces one of the same name. */
export async function storeCredential(
  db: Db,
  keys: MasterKeys,
  key: CredentialKey,
  { value, owner }: { value: string; owner: CredentialOwner },
): Promise<void> {
  const { sealedValue, sealedDataKey, keyId } = seal(keys, key, Buffer.from(value));
  await db('oauth_credentials')
    .insert({
      workspace_id: key.workspaceId,
      name: key.name,
      ...owner,
      sealed_value: sealedValue,
      sealed_data_key: sealedDataKey,
      key_id: keyId,
    })
    .onConflict(['workspace_id', 'name'])
    .merge();
}

/** Null when there is none. Throws UnreadableSecretError. */
export async function readCredential(
  db: Db,
  keys: MasterKeys,
  { workspaceId, name }: CredentialKey,
): Promise<string | null> {
  const query = db('oauth_credentials').where({ workspace_id: workspaceId, name }).first(sealedColumns);
  const row = await readRow(query, sealedRow);
  return row === null ? null : openText(keys, { workspaceId, name }, row);
}

export async function hasCredential(db: Db, { workspaceId, name }: CredentialKey): Promise<boolean> {
  return (await db('oauth_credentials').where({ workspace_id: workspaceId, name }).first('id')) !== undefined;
}

/** Deletes it, if there is one. */
export async function deleteCredential(db: Db, { workspaceId, name }: CredentialKey): Promise<void> {
  await db('oauth_credentials').where({ workspace_id: workspaceId, name }).delete();
}
