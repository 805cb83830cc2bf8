import * as z from 'zod';
import type { Db, Transaction } from '../database.ts';
import {
  type CredentialKey,
  deleteCredential,
  hasCredential,
  readCredential,
  storeCredential,
} from '../oauth-clients/clients.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import type { MasterKeys } from '../secrets/envelope.ts';
import type { ConnectionEndReason, ConnectionRow } from './read.ts';

/** Tokens as they came from the server. */
export interface NewTokens {
  accessToken: string;
  /** Null when there is none: the person signs in again when the access token ends. */
  refreshToken: string | null;
  expiresAt: Date | null;
  scopes: readonly string[] | null;
}

export type NewConnection = Omit<
  ConnectionRow,
  'id' | 'granted_scopes' | 'generation' | 'expires_at' | 'created_at' | 'refreshed_at' | 'used_at'
>;

type TokenKind = 'access-token' | 'refresh-token';
type Owner = Pick<ConnectionRow, 'id' | 'workspace_id'>;
const keyOf = ({ id, workspace_id }: Owner, kind: TokenKind): CredentialKey => ({
  workspaceId: workspace_id,
  name: `oauth-connection/${id}/${kind}`,
});

/** Stores a new connection with its tokens; there must be no other that can be used. Returns its id. */
export async function insertConnection(
  trx: Transaction,
  keys: MasterKeys,
  connection: NewConnection,
  tokens: NewTokens,
): Promise<string> {
  const rows = await trx('oauth_connections')
    .insert({
      ...connection,
      granted_scopes: tokens.scopes === null ? null : [...tokens.scopes],
      expires_at: tokens.expiresAt?.toISOString() ?? null,
    })
    .returning('id');
  const { id } = onlyRow(rows);
  await storeTokens(trx, keys, { id, workspace_id: connection.workspace_id }, tokens);
  return id;
}

async function storeTokens(
  trx: Transaction,
  keys: MasterKeys,
  connection: Owner,
  { accessToken, refreshToken }: NewTokens,
): Promise<void> {
  const owner = { oauth_connection_id: connection.id };
  await storeCredential(trx, keys, keyOf(connection, 'access-token'), { value: accessToken, owner });
  if (refreshToken === null) {
    await deleteCredential(trx, keyOf(connection, 'refresh-token'));
  } else {
    await storeCredential(trx, keys, keyOf(connection, 'refresh-token'), { value: refreshToken, owner });
  }
}

/** Null where the connection has none. Throws UnreadableSecretError. */
export const readToken = (
  db: Db,
  keys: MasterKeys,
  connection: Owner,
  kind: TokenKind,
): Promise<string | null> => readCredential(db, keys, keyOf(connection, kind));

/** Whether the connection goes on when its access token ends. */
export async function hasRefreshToken(db: Db, connection: Owner): Promise<boolean> {
  return hasCredential(db, keyOf(connection, 'refresh-token'));
}

/**
 * Takes the lease to refresh this generation of tokens, for so long. False when another has it, the
 * connection has ended, or its tokens are newer by now. A process that dies with its lease leaves it to the
 * next when the time is over.
 */
export async function claimRefresh(
  db: Db,
  { id, generation }: Pick<ConnectionRow, 'id' | 'generation'>,
  leaseSeconds: number,
): Promise<boolean> {
  const claimed = await db('oauth_connections')
    .where({ id, generation })
    .whereNull('ended_at')
    .whereRaw('coalesce(refreshing_until, now()) <= now()')
    .update({ refreshing_until: db.raw("now() + ? * interval '1 second'", [leaseSeconds]) });
  return claimed > 0;
}

/** Gives the lease back after a refresh without new tokens. */
export async function releaseRefresh(db: Db, id: string): Promise<void> {
  await db('oauth_connections').where({ id }).update({ refreshing_until: null });
}

/**
 * Replaces the tokens of this generation, also of a connection that has ended meanwhile: these are the ones
 * to revoke then. False when that has been done already, or its tokens are newer by now: nothing is stored.
 */
export async function replaceTokens(
  trx: Transaction,
  keys: MasterKeys,
  connection: ConnectionRow,
  tokens: NewTokens,
): Promise<boolean> {
  const { id, generation } = connection;
  const replaced = await trx('oauth_connections')
    .where({ id, generation })
    .whereNull('revoked_at')
    .update({
      generation: generation + 1,
      ...(tokens.scopes === null ? {} : { granted_scopes: [...tokens.scopes] }),
      expires_at: tokens.expiresAt?.toISOString() ?? null,
      refreshed_at: trx.fn.now(),
      refreshing_until: null,
      unreadable_refreshes: 0,
    });
  if (replaced === 0) {
    return false;
  }
  await storeTokens(trx, keys, connection, tokens);
  return true;
}

const refreshCount = z.object({ unreadable_refreshes: z.int() });

/** Gives the lease back after an answer that was no tokens. Returns how many there were in a row. */
export async function countUnreadableRefresh(db: Db, id: string): Promise<number> {
  const query = db('oauth_connections')
    .where({ id })
    .update({ refreshing_until: null, unreadable_refreshes: db.raw('unreadable_refreshes + 1') })
    .returning('unreadable_refreshes');
  const [row] = await readRows(query, refreshCount);
  return row?.unreadable_refreshes ?? 0;
}

/**
 * Keeps why the server refuses tokens that it has just given, and when it did so last. False when the reason
 * was kept before, or the connection has ended.
 */
export async function keepRefusal(db: Db, id: string, refusal: string): Promise<boolean> {
  const usable = () => db('oauth_connections').where({ id }).whereNull('ended_at');
  await usable().update({ refused_at: db.fn.now() });
  const kept = await usable().whereNull('refusal').update({ refusal });
  return kept > 0;
}

/** False when it has ended before. Its tokens stay until they are revoked. */
export async function endConnection(
  db: Db,
  id: string,
  { reason, refusal }: { reason: ConnectionEndReason; refusal: string | undefined },
): Promise<boolean> {
  const ended = await db('oauth_connections')
    .where({ id })
    .whereNull('ended_at')
    .update({
      ended_at: db.fn.now(),
      end_reason: reason,
      refreshing_until: null,
      ...(refusal === undefined ? {} : { refusal, refused_at: db.fn.now() }),
    });
  return ended > 0;
}

/**
 * Erases the tokens of an ended connection: they are revoked, or nothing more can be done about them. False
 * when that was done before.
 */
export async function eraseTokens(trx: Transaction, { id }: Pick<ConnectionRow, 'id'>): Promise<boolean> {
  const erased = await trx('oauth_connections')
    .where({ id })
    .whereNotNull('ended_at')
    .whereNull('revoked_at')
    .update({ revoked_at: trx.fn.now() });
  await trx('oauth_credentials').where({ oauth_connection_id: id }).delete();
  return erased > 0;
}

export async function touchConnection(db: Db, id: string): Promise<void> {
  await db('oauth_connections').where({ id }).update({ used_at: db.fn.now() });
}
