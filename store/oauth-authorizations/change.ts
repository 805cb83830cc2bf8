import type { Db, Transaction } from '../database.ts';
import {
  type CredentialKey,
  deleteCredential,
  readCredential,
  storeCredential,
} from '../oauth-clients/credentials.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import type { MasterKeys } from '../secrets/envelope.ts';
import {
  type AttemptRow,
  type AuthorizationRow,
  attemptColumns,
  attemptRow,
  authorizationColumns,
  authorizationRow,
} from './row.ts';

export type NewAuthorization = Pick<
  AuthorizationRow,
  | 'workspace_id'
  | 'user_id'
  | 'registration_id'
  | 'session_id'
  | 'scopes'
  | 'missing_scopes'
  | 'step_ups'
  | 'problem'
>;

/** Returns its id. There must be no other that is pending for the same. */
export async function insertAuthorization(
  trx: Transaction,
  authorization: NewAuthorization,
  expirySeconds: number,
): Promise<string> {
  const rows = await trx('oauth_authorizations')
    .insert({
      ...authorization,
      expires_at: trx.raw("now() + ? * interval '1 second'", [expirySeconds]),
    })
    .returning('id');
  return onlyRow(rows).id;
}

type Waiting = Pick<AuthorizationRow, 'user_id' | 'registration_id' | 'session_id'>;

const noAttempt = {
  state_hash: null,
  sign_in_id: null,
  url: null,
  resource: null,
  issuer: null,
  oauth_client_id: null,
  state_expires_at: null,
};

/** Which pending ones. */
interface Selection {
  where: Partial<Pick<AuthorizationRow, 'id' | 'user_id' | 'registration_id' | 'session_id'>>;
  /** A condition beside it. */
  and?: { sql: string; values: (string | string[])[] };
}
const isOver = { sql: 'expires_at <= now()', values: [] };
const changedRow = authorizationRow.pick({ id: true });

/** A try that was begun ends with the change, and its verifier goes. Returns the ids of what was changed. */
async function changePending(
  db: Db,
  { where, and = { sql: 'true', values: [] } }: Selection,
  fields: Partial<AuthorizationRow>,
): Promise<string[]> {
  const query = db('oauth_authorizations')
    .where({ ...where, status: 'pending' })
    .whereRaw(and.sql, and.values)
    .update({ ...fields, ...noAttempt })
    .returning('id');
  const ids = (await readRows(query, changedRow)).map(({ id }) => id);
  if (ids.length > 0) {
    await db('oauth_credentials').whereIn('oauth_authorization_id', ids).delete();
  }
  return ids;
}

/** The pending one, locked; one that is past its time is closed before. */
export async function lockPending(trx: Transaction, waiting: Waiting): Promise<AuthorizationRow | null> {
  await changePending(trx, { where: waiting, and: isOver }, { status: 'expired' });
  const query = trx('oauth_authorizations')
    .where({ ...waiting, status: 'pending' })
    .forUpdate()
    .first(authorizationColumns);
  return readRow(query, authorizationRow);
}

/** It asks for more from now on; a try that was begun asked for less, and does not count. */
export async function widenAuthorization(
  trx: Transaction,
  id: string,
  wider: Pick<AuthorizationRow, 'scopes' | 'missing_scopes' | 'step_ups'>,
): Promise<void> {
  await changePending(trx, { where: { id } }, wider);
}

/** Closes those of a session that has ended, or at a server that is another one by now. */
export async function cancelAuthorizations(
  trx: Transaction,
  where: Pick<AuthorizationRow, 'session_id'> | Pick<AuthorizationRow, 'registration_id'>,
): Promise<void> {
  await changePending(trx, { where }, { status: 'cancelled' });
}

/** Closes one whose time is over. */
export async function expireAuthorization(db: Db, id: string): Promise<void> {
  const late = { where: { id }, and: isOver };
  await changePending(db, late, { status: 'expired' });
}

export interface ConnectedWith {
  /** The one whose answer made the connection: it is over, whatever the server granted. */
  id: string;
  userId: string;
  registrationId: string;
  /** That the tokens have. */
  scopes: readonly string[];
}

/** Closes all that the person's new connection satisfies. Returns their ids. */
export async function settleConnected(
  trx: Transaction,
  { id, userId, registrationId, scopes }: ConnectedWith,
): Promise<string[]> {
  return changePending(
    trx,
    {
      where: { user_id: userId, registration_id: registrationId },
      and: { sql: '(id = ? or coalesce(missing_scopes <@ ?::text[], true))', values: [id, [...scopes]] },
    },
    { status: 'connected', problem: null },
  );
}

const verifierOf = ({ id, workspace_id }: Pick<AuthorizationRow, 'id' | 'workspace_id'>): CredentialKey => ({
  workspaceId: workspace_id,
  name: `oauth-authorization/${id}/code-verifier`,
});

export interface NewAttempt extends AttemptRow {
  stateHash: Buffer;
  /** Of the cookie of the browser that begins: no other may bring the answer. */
  signInId: string;
  lifetimeSeconds: number;
  codeVerifier: string;
}

/**
 * Replaces the try before, whose answer does not count any more. False when the authorization is not pending, or asks for other scopes by now: what the
 * server is asked for is what it is stored with.
 */
export async function startAttempt(
  trx: Transaction,
  keys: MasterKeys,
  authorization: Pick<AuthorizationRow, 'id' | 'workspace_id' | 'scopes'>,
  { stateHash, signInId, lifetimeSeconds, codeVerifier, ...attempt }: NewAttempt,
): Promise<boolean> {
  const { id, scopes } = authorization;
  const started = await trx('oauth_authorizations')
    .where({ id, status: 'pending' })
    .whereRaw('expires_at > now() and scopes = ?::text[]', [scopes])
    .update({
      ...attempt,
      problem: null,
      state_hash: stateHash,
      sign_in_id: signInId,
      state_expires_at: trx.raw("now() + ? * interval '1 second'", [lifetimeSeconds]),
    });
  if (started === 0) {
    return false;
  }
  await storeCredential(trx, keys, verifierOf(authorization), {
    value: codeVerifier,
    owner: { oauth_authorization_id: id },
  });
  return true;
}

export interface TakenAttempt {
  authorization: AuthorizationRow;
  attempt: AttemptRow;
  codeVerifier: string;
}

const takenRow = authorizationRow.extend(attemptRow.shape);

/**
 * The try that this state belongs to, for the one answer that it may have: it is gone afterwards. Null when there is none, it was begun in
 * another browser or at another server, or its time is over. Throws UnreadableSecretError.
 */
export async function takeAttempt(
  trx: Transaction,
  keys: MasterKeys,
  { stateHash, signInId, registrationId }: { stateHash: Buffer; signInId: string; registrationId: string },
): Promise<TakenAttempt | null> {
  const query = trx('oauth_authorizations')
    .where({
      state_hash: stateHash,
      sign_in_id: signInId,
      registration_id: registrationId,
      status: 'pending',
    })
    .whereRaw('least(state_expires_at, expires_at) > now()')
    .forUpdate()
    .first([...authorizationColumns, ...attemptColumns]);
  const taken = await readRow(query, takenRow);
  if (taken === null) {
    return null;
  }
  const { url, resource, issuer, oauth_client_id, ...authorization } = taken;
  const codeVerifier = await readCredential(trx, keys, verifierOf(authorization));
  await trx('oauth_authorizations').where({ id: authorization.id }).update(noAttempt);
  await deleteCredential(trx, verifierOf(authorization));
  return codeVerifier === null
    ? null
    : { authorization, attempt: { url, resource, issuer, oauth_client_id }, codeVerifier };
}

/** Why a try failed; the person may begin another one, and once they have, it does not matter any more. */
export async function recordProblem(db: Db, id: string, problem: string): Promise<void> {
  await db('oauth_authorizations').where({ id, status: 'pending', state_hash: null }).update({ problem });
}
