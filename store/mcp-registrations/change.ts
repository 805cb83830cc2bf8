import * as z from 'zod';
import type { StoredSignInServer } from '../../contract/mcp-registration.ts';
import { uuid } from '../../contract/names.ts';
import type { RemoteShape, SignIn } from '../../contract/remote-server.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

export interface NewRegistration {
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
  /** Without a `signInServer`, what was accepted before stays: what people sign in to later is compared with it. */
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

/** Takes a registration out of use, whatever became of it: outcomes of attempts under way are dropped. Null when it has no entry. */
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

export async function deleteRegistration(db: Db, id: string): Promise<void> {
  await db('mcp_registrations').where({ id }).delete();
}

/** Its entry is no remote server any more: its clients are deleted at their servers, and then it. Returns its id. */
export async function detachRegistration(db: Db, id: string): Promise<string> {
  await db('mcp_registrations').where({ id }).update({ mcp_server_id: null });
  return id;
}
