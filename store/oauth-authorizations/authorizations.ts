/** Sign-ins at remote servers that people have to make. */
import * as z from 'zod';
import {
  authorizationStatus,
  type SessionAuthorization,
  sessionAuthorization,
} from '../../contract/authorization.ts';
import { named, timestamp, uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import {
  type CredentialKey,
  deleteCredential,
  readCredential,
  storeCredential,
} from '../oauth-clients/clients.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import type { MasterKeys } from '../secrets/envelope.ts';

const authorizationRow = z.object({
  id: uuid,
  workspace_id: uuid,
  user_id: uuid,
  registration_id: uuid,
  session_id: uuid.nullable(),
  scopes: z.array(z.string()),
  missing_scopes: z.array(z.string()).nullable(),
  step_ups: z.int(),
  status: authorizationStatus,
  problem: z.string().nullable(),
  expires_at: timestamp,
});
export type AuthorizationRow = z.infer<typeof authorizationRow>;

const authorizationColumns = Object.keys(authorizationRow.shape) as (keyof AuthorizationRow)[];

/** A try to sign in, as it was begun: what the answer is compared with. */
const attemptRow = z.object({
  url: z.string(),
  resource: z.string(),
  issuer: z.string(),
  oauth_client_id: uuid,
});
export type AttemptRow = z.infer<typeof attemptRow>;

const attemptColumns = Object.keys(attemptRow.shape) as (keyof AttemptRow)[];

const timedAuthorization = authorizationRow.extend({ remaining_ms: z.int() });
type TimedAuthorization = z.infer<typeof timedAuthorization>;

/** With the time that is left by the clock of the database, which decides when it is over. */
export function readAuthorization(db: Db, id: string): Promise<TimedAuthorization | null> {
  const remaining = db.raw(
    'greatest(0, ceil(extract(epoch from expires_at - now()) * 1000))::bigint as remaining_ms',
  );
  const query = db('oauth_authorizations')
    .where({ id })
    .first(...authorizationColumns, remaining);
  return readRow(query, timedAuthorization);
}

const ownAuthorization = authorizationRow.extend({
  workspace: named.extend({ slug: z.string() }),
  entry_name: z.string(),
  agent: named.nullable(),
});
export type OwnAuthorization = z.infer<typeof ownAuthorization>;

/** For the person who has to sign in; null for anybody else, and once they have left the workspace. */
export function readOwnAuthorization(db: Db, userId: string, id: string): Promise<OwnAuthorization | null> {
  const query = db('oauth_authorizations as o')
    .join('mcp_registrations as r', 'r.id', 'o.registration_id')
    .join('workspaces as w', 'w.id', 'o.workspace_id')
    .join('members as m', (join) =>
      join.on('m.workspace_id', 'o.workspace_id').andOn('m.user_id', 'o.user_id'),
    )
    .leftJoin('sessions as s', 's.id', 'o.session_id')
    .leftJoin('agents as a', 'a.id', 's.agent_id')
    .where({ 'o.id': id, 'o.user_id': userId })
    .first({
      ...Object.fromEntries(authorizationColumns.map((column) => [column, `o.${column}`])),
      workspace: db.raw("json_build_object('id', w.id, 'name', w.name, 'slug', w.slug)"),
      entry_name: 'r.entry_name',
      agent: db.raw("case when a.id is not null then json_build_object('id', a.id, 'name', a.name) end"),
    });
  return readRow(query, ownAuthorization);
}

/** Those that the session waits for now, by server. */
export function listPendingOfSession(db: Db, sessionId: string): Promise<SessionAuthorization[]> {
  const query = db('oauth_authorizations as o')
    .join('mcp_registrations as r', 'r.id', 'o.registration_id')
    .where({ 'o.session_id': sessionId, 'o.status': 'pending' })
    .whereRaw('o.expires_at > now()')
    .orderBy('r.entry_name')
    .select({
      id: 'o.id',
      mcp_server: 'r.entry_name',
      missing_scopes: 'o.missing_scopes',
      expires_at: 'o.expires_at',
    });
  return readRows(query, sessionAuthorization);
}

const counted = z.object({ count: z.int() });

/** How often a server has asked for more in this session, whether in one sign-in or in several. */
export async function countStepUps(
  db: Db,
  { sessionId, registrationId }: { sessionId: string; registrationId: string },
): Promise<number> {
  const query = db('oauth_authorizations')
    .where({ session_id: sessionId, registration_id: registrationId })
    .first(db.raw('coalesce(sum(step_ups), 0)::int as count'));
  return (await readRow(query, counted))?.count ?? 0;
}

/**
 * Pending ones that a workflow of their own waits for. That of a launch is started by the session's, and by
 * nobody before it.
 */
export function listUnattendedAuthorizations(db: Db): Promise<{ id: string }[]> {
  const query = db('oauth_authorizations as o')
    .leftJoin('sessions as s', 's.id', 'o.session_id')
    .where('o.status', 'pending')
    .where((either) => either.whereNull('o.session_id').orWhereIn('s.status', ['starting', 'running']))
    .orderBy('o.created_at')
    .select('o.id');
  return readRows(query, authorizationRow.pick({ id: true }));
}

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
 * Replaces the try before, whose answer does not count any more. False when the authorization is not pending,
 * or asks for other scopes by now: what the server is asked for is what it is stored with.
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
 * The try that this state belongs to, for the one answer that it may have: it is gone afterwards. Null
 * when there is none, it was begun in another browser or at another server, or its time is over.
 * Throws UnreadableSecretError.
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
