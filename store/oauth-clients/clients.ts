/** The platform's clients at authorization servers; each belongs to one registration and one issuer. */

import type { Knex } from 'knex';
import * as z from 'zod';
import { authorizationServer, oauthClientKind, tokenAuthMethod } from '../../contract/mcp-registration.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { type MasterKeys, openText, seal } from '../secrets/envelope.ts';
import { columnsOf } from '../secrets/sealed-columns.ts';

export const oauthClientRow = z.object({
  id: uuid,
  workspace_id: uuid,
  registration_id: uuid,
  issuer: z.string(),
  authorization_server: authorizationServer,
  kind: oauthClientKind,
  client_id: z.string(),
  token_auth_method: tokenAuthMethod,
  redirect_uri: z.string(),
  secret_expires_at: timestamp.nullable(),
  refreshes_tokens: z.boolean(),
  management_url: z.string().nullable(),
});
export type OAuthClientRow = z.infer<typeof oauthClientRow>;
const columns = Object.keys(oauthClientRow.shape) as (keyof OAuthClientRow)[];

/** Of a client that was registered dynamically. */
export interface ClientCredentials {
  secret: string | null;
  managementToken: string | null;
}

const secretOf = (clientId: string) => `oauth-client/${clientId}/secret`;
const managementTokenOf = (clientId: string) => `oauth-client/${clientId}/management-token`;

/** Stores the client that the registration uses from now on; one that it used before is retired. */
export async function replaceClient(
  trx: Transaction,
  keys: MasterKeys,
  client: Omit<OAuthClientRow, 'id'>,
  credentials: ClientCredentials,
): Promise<void> {
  await retireClients(trx, client.registration_id);
  await insertClient(trx, keys, client, credentials, null);
}

/** Stores a client that nobody wants any more, so that it is deleted at its server. */
export async function insertRetiredClient(
  trx: Transaction,
  keys: MasterKeys,
  client: Omit<OAuthClientRow, 'id'>,
  credentials: ClientCredentials,
): Promise<void> {
  await insertClient(trx, keys, client, credentials, trx.fn.now());
}

async function insertClient(
  trx: Transaction,
  keys: MasterKeys,
  client: Omit<OAuthClientRow, 'id'>,
  { secret, managementToken }: ClientCredentials,
  retiredAt: Knex.Raw | null,
): Promise<void> {
  const { id } = onlyRow(
    await trx('oauth_clients')
      .insert({
        ...client,
        authorization_server: JSON.stringify(client.authorization_server),
        retired_at: retiredAt,
      })
      .returning('id'),
  );
  await renewCredentials(trx, keys, { id, workspace_id: client.workspace_id }, { secret, managementToken });
}

/**
 * Replaces credentials of a client by those that its server gave in their place; those that are null stay.
 */
export async function renewCredentials(
  db: Db,
  keys: MasterKeys,
  { id, workspace_id: workspaceId }: Pick<OAuthClientRow, 'id' | 'workspace_id'>,
  { secret, managementToken }: ClientCredentials,
): Promise<void> {
  const owner = { oauth_client_id: id };
  for (const [name, value] of Object.entries({
    [secretOf(id)]: secret,
    [managementTokenOf(id)]: managementToken,
  })) {
    if (value !== null) {
      await storeCredential(db, keys, { workspaceId, name }, { value, owner });
    }
  }
}

/** None of the registration's clients is used any more; each is to be deleted at its server. */
export async function retireClients(db: Db, registrationId: string): Promise<void> {
  await db('oauth_clients')
    .where({ registration_id: registrationId })
    .whereNull('retired_at')
    .update({ retired_at: db.fn.now() });
}

/** The client that the registration uses, or null. */
export function readCurrentClient(db: Db, registrationId: string): Promise<OAuthClientRow | null> {
  const query = db('oauth_clients')
    .where({ registration_id: registrationId })
    .whereNull('retired_at')
    .first(columns);
  return readRow(query, oauthClientRow);
}

/** A client by its own id, retired or not. */
export function readClient(db: Db, id: string): Promise<OAuthClientRow | null> {
  return readRow(db('oauth_clients').where({ id }).first(columns), oauthClientRow);
}

/** The clients that registrations use, by the registration's id. */
export async function readCurrentClients(
  db: Db,
  registrationIds: readonly string[],
): Promise<ReadonlyMap<string, OAuthClientRow>> {
  const query = db('oauth_clients')
    .whereIn('registration_id', [...registrationIds])
    .whereNull('retired_at')
    .select(columns);
  const rows = await readRows(query, oauthClientRow);
  return new Map(rows.map((row) => [row.registration_id, row]));
}

/** Whether this registration, or any without one, uses the client of this issuer and id now. */
export async function isClientUsed(
  db: Db,
  where: Pick<OAuthClientRow, 'issuer' | 'client_id'> & Partial<Pick<OAuthClientRow, 'registration_id'>>,
): Promise<boolean> {
  const used = await db('oauth_clients').where(where).whereNull('retired_at').first('id');
  return used !== undefined;
}

/** Clients that are to be deleted at their servers. */
export function listRetiredClients(db: Db, registrationId: string): Promise<OAuthClientRow[]> {
  const query = db('oauth_clients')
    .where({ registration_id: registrationId })
    .whereNotNull('retired_at')
    .orderBy('created_at')
    .select(columns);
  return readRows(query, oauthClientRow);
}

export async function deleteClientRow(db: Db, id: string): Promise<void> {
  await db('oauth_clients').where({ id }).delete();
}

/** Each null where the client has none. Throw UnreadableSecretError. */
export const readClientSecret = (db: Db, keys: MasterKeys, client: OAuthClientRow): Promise<string | null> =>
  readCredential(db, keys, { workspaceId: client.workspace_id, name: secretOf(client.id) });

export const readManagementToken = (
  db: Db,
  keys: MasterKeys,
  client: OAuthClientRow,
): Promise<string | null> =>
  readCredential(db, keys, { workspaceId: client.workspace_id, name: managementTokenOf(client.id) });

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
  await db('oauth_credentials')
    .insert({
      workspace_id: key.workspaceId,
      name: key.name,
      ...owner,
      ...columnsOf(seal(keys, key, Buffer.from(value))),
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
