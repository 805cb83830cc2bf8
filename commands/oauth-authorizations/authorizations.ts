/**
 * A person has to sign in at a remote server, and does: the authorization that a session waits for, the try
 * with its state, the tokens that it brought, and what the session's transcript says of it.
 */
import { createHash } from 'node:crypto';
import { type AuthorizationStatus, authorizationPage } from '../../contract/authorization.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { lockRegistration, type RegistrationRow } from '../../store/mcp-registrations/registrations.ts';
import { lockMembers } from '../../store/members/members.ts';
import {
  type AuthorizationRow,
  countStepUps,
  insertAuthorization,
  lockPending,
  type NewAttempt,
  settleConnected,
  startAttempt,
  type TakenAttempt,
  takeAttempt,
  widenAuthorization,
} from '../../store/oauth-authorizations/authorizations.ts';
import { insertConnection, type NewTokens } from '../../store/oauth-connections/change.ts';
import { readConnection, readLastRefusal } from '../../store/oauth-connections/read.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { lockSession } from '../../store/sessions/sessions.ts';
import { type BoundTo, bindingOf, endSignIn, isBoundTo } from '../oauth-connections/connections.ts';

/**
 * A server may ask for more and more, and each time a person decides: after so many times in a
 * session they are left alone.
 */
export const maxStepUps = 3;
/** In one sign-in, as in one question of a server. */
const maxScopes = 100;

export interface NeededSignIn {
  registrationId: string;
  userId: string;
  /** All that the server is asked for. */
  scopes: readonly string[];
  /** Those that it asked for in the middle of a call; null for a sign-in without such a call. */
  missingScopes: readonly string[] | null;
  expirySeconds: number;
}

/**
 * `over`: the session has ended, or the entry was removed. `asked_enough`: the server has asked
 * too often, or for too much.
 */
export type OpenedAuthorization = { result: 'opened'; id: string } | { result: 'over' | 'asked_enough' };

/**
 * A way for the person to sign in: the pending one, or a new one, with the session's event that leads to it.
 */
export function openAuthorization(
  db: Db,
  session: Pick<Session, 'id'> | null,
  needed: NeededSignIn,
): Promise<OpenedAuthorization> {
  const { registrationId, userId } = needed;
  return inTransaction(db, async (trx): Promise<OpenedAuthorization> => {
    const waiting = session && (await lockSession(trx, session.id));
    const registration = await lockRegistration(trx, registrationId);
    const isOver = session !== null && (waiting === null || isTerminal(waiting.status));
    if (isOver || registration === null || registration.mcp_server_id === null) {
      return { result: 'over' };
    }
    const key = { user_id: userId, registration_id: registrationId, session_id: session?.id ?? null };
    const pending = await lockPending(trx, key);
    const asked = pending ?? nothing;
    const held = await heldScopes(trx, registration, userId);
    const all = together(asked, { ...needed, scopes: union(held, needed.scopes) });
    if (pending !== null && !isMore(all, asked)) {
      return { result: 'opened', id: pending.id };
    }
    if (needed.missingScopes !== null && (await isAskedEnough(trx, session, { registrationId, all }))) {
      return { result: 'asked_enough' };
    }
    if (pending !== null) {
      await widenAuthorization(trx, pending.id, all);
      return { result: 'opened', id: pending.id };
    }
    const { workspace_id } = registration;
    const problem = await readLastRefusal(trx, key);
    const id = await insertAuthorization(
      trx,
      { ...key, workspace_id, ...all, problem },
      needed.expirySeconds,
    );
    await announce(trx, session, { id, server: registration.entry_name });
    return { result: 'opened', id };
  });
}

/** What the person has allowed there: a sign-in that replaces theirs asks for nothing less. */
async function heldScopes(
  trx: Transaction,
  registration: RegistrationRow,
  userId: string,
): Promise<readonly string[]> {
  const connection = await readConnection(trx, { registrationId: registration.id, userId });
  if (connection === null) {
    return [];
  }
  const found = await bindingOf(trx, registration);
  return found.kind === 'bound' && isBoundTo(connection, found.binding) ? connection.requested_scopes : [];
}

/** Counted under the session's lock: calls that are refused at the same time count one after the other. */
async function isAskedEnough(
  trx: Transaction,
  session: Pick<Session, 'id'> | null,
  { registrationId, all }: { registrationId: string; all: Asked },
): Promise<boolean> {
  return (
    all.scopes.length > maxScopes ||
    (session !== null && (await countStepUps(trx, { sessionId: session.id, registrationId })) >= maxStepUps)
  );
}

async function announce(
  trx: Transaction,
  session: Pick<Session, 'id'> | null,
  { id, server }: { id: string; server: string },
): Promise<void> {
  if (session !== null) {
    await appendSessionEvent(trx, session.id, {
      id: derivedId(id, 'authorization_required'),
      type: 'session.authorization_required',
      actor: systemActor,
      payload: { server, url: authorizationPage(id) },
    });
  }
}

type Asked = { scopes: string[]; missing_scopes: string[] | null; step_ups: number };
const nothing: Asked = { scopes: [], missing_scopes: null, step_ups: 0 };

const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];

/** What is asked for already, and what is needed now. */
const together = (asked: Asked, { scopes, missingScopes }: NeededSignIn): Asked => ({
  scopes: union(asked.scopes, scopes),
  missing_scopes:
    missingScopes === null ? asked.missing_scopes : union(asked.missing_scopes ?? [], missingScopes),
  step_ups: asked.step_ups + (missingScopes === null ? 0 : 1),
});

const isMore = (all: Asked, asked: Asked): boolean =>
  all.scopes.length > asked.scopes.length ||
  (all.missing_scopes?.length ?? 0) > (asked.missing_scopes?.length ?? 0);

/** Time that a person has at the authorization server. */
const attemptLifetimeSeconds = 600;

interface BegunAttempt extends Pick<NewAttempt, 'signInId' | 'codeVerifier'> {
  state: string;
  bound: BoundTo;
}

/**
 * Stores a try with the hash of its state; an earlier one does not count any more. False when nobody waits
 * for it now, or for other scopes.
 */
export function storeAttempt(
  db: Db,
  keys: MasterKeys,
  authorization: Pick<AuthorizationRow, 'id' | 'workspace_id' | 'scopes'>,
  { state, bound, signInId, codeVerifier }: BegunAttempt,
): Promise<boolean> {
  return inTransaction(db, (trx) =>
    startAttempt(trx, keys, authorization, {
      ...bound,
      stateHash: hashOf(state),
      signInId,
      lifetimeSeconds: attemptLifetimeSeconds,
      codeVerifier,
    }),
  );
}

/** The try that this state belongs to, once; as `takeAttempt` of the store. */
export function consumeAttempt(
  db: Db,
  keys: MasterKeys,
  { state, ...answered }: { state: string; signInId: string; registrationId: string },
): Promise<TakenAttempt | null> {
  return inTransaction(db, (trx) => takeAttempt(trx, keys, { ...answered, stateHash: hashOf(state) }));
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

interface NewSignIn {
  authorization: AuthorizationRow;
  /** What was begun with. */
  begun: BoundTo;
  tokens: NewTokens;
}

/**
 * Stores what a person has signed in to; a sign-in that they had there before is replaced. Returns the ids of
 * the authorizations that are over with it, or null when the tokens are not wanted: the person has left, or
 * the server is another by now.
 */
export function connect(
  db: Db,
  keys: MasterKeys,
  { authorization, begun, tokens }: NewSignIn,
): Promise<string[] | null> {
  const { workspace_id, user_id, registration_id, scopes } = authorization;
  return inTransaction(db, async (trx) => {
    // A removal of the member ends their connections: it waits for this transaction, or is seen here.
    if (!(await lockMembers(trx, workspace_id, [user_id])).has(user_id)) {
      return null;
    }
    const registration = await lockRegistration(trx, registration_id);
    const found = registration === null ? null : await bindingOf(trx, registration);
    if (registration === null || found?.kind !== 'bound' || !isBoundTo(begun, found.binding)) {
      return null;
    }
    const key = { registrationId: registration_id, userId: user_id };
    const before = await readConnection(trx, key);
    if (before !== null) {
      await endSignIn(trx, before, isBoundTo(before, found.binding) ? 'replaced' : 'unbound');
    }
    const id = await insertConnection(
      trx,
      keys,
      { workspace_id, user_id, registration_id, ...begun, requested_scopes: scopes },
      tokens,
    );
    await appendAuditEvent(trx, {
      workspaceId: workspace_id,
      event: 'connection.created',
      actor: { type: 'user', id: user_id },
      resource: { type: 'oauth_connection', id, name: registration.entry_name },
      data: { user_id, issuer: begun.issuer, resource: begun.resource, scopes: tokens.scopes ?? scopes },
    });
    return settleConnected(trx, { ...key, id: authorization.id, scopes: tokens.scopes ?? scopes });
  });
}

/**
 * Says in the session's transcript how a sign-in ended, once; nothing while it is pending, or when the
 * session has ended.
 */
export async function announceOutcome(
  db: Db,
  { id, status, session_id: sessionId }: AuthorizationRow,
  server: string,
): Promise<void> {
  const notice = noticeOf(status, server);
  if (sessionId === null || notice === null) {
    return;
  }
  await inTransaction(db, async (trx) => {
    const session = await lockSession(trx, sessionId);
    if (session !== null && !isTerminal(session.status)) {
      await appendSessionEvent(trx, sessionId, {
        id: derivedId(id, status),
        type: 'platform.notice',
        actor: systemActor,
        payload: notice,
      });
    }
  });
}

function noticeOf(status: AuthorizationStatus, server: string): { code: string; message: string } | null {
  switch (status) {
    case 'connected':
      return { code: 'signed_in', message: `The operator signed in to "${server}".` };
    case 'expired':
      return { code: 'sign_in_expired', message: `The operator did not sign in to "${server}" in time.` };
    default:
      return null;
  }
}
