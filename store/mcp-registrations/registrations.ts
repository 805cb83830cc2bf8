/** Registrations of remote servers: what the platform found of each, and whether people can sign in to it. */
import * as z from 'zod';
import {
  registrationStatus,
  type StoredSignInServer,
  signInServer,
} from '../../contract/mcp-registration.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import { type RemoteShape, remoteShape, type SignIn, signIn } from '../../contract/remote-server.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

const registrationRow = z.object({
  id: uuid,
  workspace_id: uuid,
  /** Null once the entry is removed. */
  mcp_server_id: uuid.nullable(),
  entry_name: z.string(),
  shape: remoteShape,
  redirect_uri: z.string(),
  client_metadata_url: z.string().nullable(),
  revision: z.int(),
  status: registrationStatus,
  reason: z.string().nullable(),
  sign_in: signIn.nullable(),
  sign_in_server: signInServer.nullable(),
  found_server: signInServer.nullable(),
  /** The entry was in use when this attempt began, and stays so when nobody is reached. */
  resumes: z.boolean(),
  unreached_reason: z.string().nullable(),
  updated_at: timestamp,
});
export type RegistrationRow = z.infer<typeof registrationRow>;

const registrationColumns = Object.keys(registrationRow.shape) as (keyof RegistrationRow)[];

/** Each function throws a ZodError for a row that does not fit. */

export function readRegistration(db: Db, id: string): Promise<RegistrationRow | null> {
  return readRow(db('mcp_registrations').where({ id }).first(registrationColumns), registrationRow);
}

/** The registration, locked until the transaction ends; null when it is gone. */
export function lockRegistration(trx: Transaction, id: string): Promise<RegistrationRow | null> {
  const query = trx('mcp_registrations').where({ id }).forUpdate().first(registrationColumns);
  return readRow(query, registrationRow);
}

/** The registration of an entry, locked until the transaction ends; null when it has none. */
export function lockRegistrationOf(trx: Transaction, entryId: string): Promise<RegistrationRow | null> {
  const query = trx('mcp_registrations')
    .where({ mcp_server_id: entryId })
    .forUpdate()
    .first(registrationColumns);
  return readRow(query, registrationRow);
}

/** The registration of an entry; null when it has none. */
export function readRegistrationOf(db: Db, entryId: string): Promise<RegistrationRow | null> {
  const query = db('mcp_registrations').where({ mcp_server_id: entryId }).first(registrationColumns);
  return readRow(query, registrationRow);
}

/** By the ids of entries; those without one are absent. */
export async function readRegistrationsOf(
  db: Db,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, RegistrationRow>> {
  if (entryIds.length === 0) {
    return new Map();
  }
  const query = db('mcp_registrations')
    .whereIn('mcp_server_id', [...entryIds])
    .select(registrationColumns);
  const rows = await readRows(query, registrationRow);
  return new Map(rows.map((row) => [row.mcp_server_id ?? '', row]));
}

/** How the platform signs in to an entry whose registration is ready; null for any other entry. */
export async function readSignIn(db: Db, entryId: string): Promise<SignIn | null> {
  const row = await db('mcp_registrations')
    .where({ mcp_server_id: entryId, status: 'ready' })
    .first('sign_in');
  return row?.sign_in ?? null;
}

const toRevoke = (db: Db) =>
  db('oauth_connections').whereRaw('registration_id = mcp_registrations.id').whereNull('revoked_at');

/** Kept at first since sign-ins with it were to be revoked; after two days its server is taken for gone. */
const deletableClient = `exists (
  select from oauth_clients c
  where c.registration_id = mcp_registrations.id and c.retired_at > now() - interval '2 days'
    and exists (select from oauth_connections o where o.oauth_client_id = c.id)
    and not exists (select from oauth_connections o where o.oauth_client_id = c.id and o.revoked_at is null)
)`;

/**
 * Each needs a workflow: it is not settled, its entry was removed, or it has a client to delete. One with
 * ended sign-ins that are to be revoked waits for that, which the sweep does by itself.
 */
export async function listUnsettledRegistrations(db: Db): Promise<{ id: string }[]> {
  const rows = await db('mcp_registrations')
    .where({ status: 'pending' })
    .orWhere((removed) =>
      removed.whereNull('mcp_server_id').whereNotExists(toRevoke(db).whereNotNull('ended_at').select('id')),
    )
    .orWhereRaw(deletableClient)
    .orderBy('created_at')
    .select('id');
  return rows;
}

interface NewRegistration {
  id: string;
  workspaceId: string;
  entryId: string;
  entryName: string;
  shape: RemoteShape;
  redirectUri: string;
  clientMetadataUrl: string | null;
}

export async function insertRegistration(trx: Transaction, registration: NewRegistration): Promise<void> {
  await trx('mcp_registrations').insert({
    id: registration.id,
    workspace_id: registration.workspaceId,
    mcp_server_id: registration.entryId,
    entry_name: registration.entryName,
    shape: JSON.stringify(registration.shape),
    redirect_uri: registration.redirectUri,
    client_metadata_url: registration.clientMetadataUrl,
  });
}

/** What a new attempt changes beside the status; what is left out stays. */
export interface Restart {
  shape?: RemoteShape;
  redirectUri?: string;
  clientMetadataUrl?: string | null;
  /** With null, the next discovery is compared with nothing. */
  signInServer?: StoredSignInServer | null;
  /** What was in use before stays in use where this attempt reaches nobody. */
  resumes?: boolean;
}

/** Begins a new attempt: outcomes of earlier ones are dropped. Returns the revision. */
export async function restartRegistration(db: Db, id: string, restart: Restart): Promise<number> {
  const { shape, redirectUri, clientMetadataUrl, signInServer, resumes = false } = restart;
  const rows = await db('mcp_registrations')
    .where({ id })
    .update({
      revision: db.raw('revision + 1'),
      status: 'pending',
      reason: null,
      found_server: null,
      resumes,
      unreached_reason: null,
      updated_at: db.fn.now(),
      ...(shape === undefined ? {} : { shape: JSON.stringify(shape) }),
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(clientMetadataUrl === undefined ? {} : { client_metadata_url: clientMetadataUrl }),
      ...(signInServer === undefined ? {} : { sign_in_server: signInServer && JSON.stringify(signInServer) }),
    })
    .returning('revision');
  return onlyRow(rows).revision;
}

/** An attempt, by what it is of and which. */
export interface Attempt {
  id: string;
  revision: number;
}

export type Settlement =
  /**
   * Without a `signInServer`, what was accepted before stays: what people sign in to later is compared with
   * it.
   */
  | { status: 'ready'; signIn: SignIn; signInServer: StoredSignInServer | null }
  /** `foundServer`: what would have to be accepted. */
  | { status: 'failed'; reason: string; foundServer: StoredSignInServer | null }
  /** Nobody was reached: the entry is in use as before. */
  | { status: 'resumed'; reason: string };

/** Records how an attempt ended. False when another has begun, or this one has ended before. */
export async function settleRegistration(
  db: Db,
  { id, revision }: Attempt,
  settlement: Settlement,
): Promise<boolean> {
  const settled = await db('mcp_registrations')
    .where({ id, revision, status: 'pending', ...(settlement.status === 'resumed' ? { resumes: true } : {}) })
    .update({ ...columnsOf(settlement), updated_at: db.fn.now() });
  return settled > 0;
}

function columnsOf(settlement: Settlement) {
  switch (settlement.status) {
    case 'ready':
      return {
        status: 'ready',
        sign_in: settlement.signIn,
        ...(settlement.signInServer === null
          ? {}
          : { sign_in_server: JSON.stringify(settlement.signInServer) }),
        found_server: null,
        reason: null,
      } as const;
    case 'failed':
      return {
        status: 'failed',
        found_server: settlement.foundServer && JSON.stringify(settlement.foundServer),
        reason: settlement.reason,
      } as const;
    case 'resumed':
      return { status: 'ready', found_server: null, unreached_reason: settlement.reason } as const;
  }
}

/** Keeps what was discovered while the client is being registered. False when another attempt has begun. */
export async function keepFoundServer(
  db: Db,
  { id, revision }: Attempt,
  found: StoredSignInServer,
): Promise<boolean> {
  const kept = await db('mcp_registrations')
    .where({ id, revision, status: 'pending' })
    .update({ found_server: JSON.stringify(found) });
  return kept > 0;
}

const failedRow = z.object({ entryId: uuid, entryName: z.string() });

/**
 * Takes a registration out of use, whatever became of it: outcomes of attempts under way are dropped. Null
 * when it has no entry.
 */
export async function failRegistration(
  trx: Transaction,
  id: string,
  reason: string,
): Promise<z.infer<typeof failedRow> | null> {
  const query = trx('mcp_registrations')
    .where({ id })
    .whereNotNull('mcp_server_id')
    .update({
      revision: trx.raw('revision + 1'),
      status: 'failed',
      reason,
      found_server: null,
      resumes: false,
      unreached_reason: null,
      updated_at: trx.fn.now(),
    })
    .returning(['mcp_server_id as entryId', 'entry_name as entryName']);
  return (await readRows(query, failedRow))[0] ?? null;
}

/**
 * Deletes one that no entry has, with its clients. False where it stays: a sign-in is to be revoked, which
 * would go with it, or an entry has it.
 */
export async function deleteRegistration(db: Db, id: string): Promise<boolean> {
  const deleted = await db('mcp_registrations')
    .where({ id, mcp_server_id: null })
    .whereNotExists(toRevoke(db).select('id'))
    .delete();
  return deleted > 0;
}

/**
 * Its entry is no remote server any more: its clients are deleted at their servers, and then it. Returns its
 * id.
 */
export async function detachRegistration(db: Db, id: string): Promise<string> {
  await db('mcp_registrations').where({ id }).update({ mcp_server_id: null });
  return id;
}
