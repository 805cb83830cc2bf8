/**
 * An access token for a bridge: the operator's own, of the server that was frozen, and refreshed where it has to be. The refresh token never
 * leaves this process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readUsableClient } from '../../commands/oauth-clients/read-client.ts';
import { type Binding, isBoundTo, readBinding } from '../../commands/oauth-connections/binding.ts';
import { endSignIn } from '../../commands/oauth-connections/end.ts';
import { storeRefreshed } from '../../commands/oauth-connections/refreshed.ts';
import { tokenEndOf } from '../../commands/oauth-connections/token-end.ts';
import { recordTokensRefused } from '../../commands/oauth-connections/tokens-refused.ts';
import type { AccessTokenAnswer, AccessTokenRequest } from '../../contract/remote-server.ts';
import type { FrozenServer } from '../../contract/session.ts';
import type { OAuthContext } from '../../lib/oauth/context.ts';
import { quote } from '../../lib/oauth/quote.ts';
import { repeatsSecret } from '../../lib/oauth/repeated-secret.ts';
import { revokeToken } from '../../lib/oauth/revoke-token.ts';
import { OAuthTokenError } from '../../lib/oauth/token-error.ts';
import { refreshTokens } from '../../lib/oauth/token-request.ts';
import type { Db } from '../../store/database.ts';
import { readMember } from '../../store/members/list.ts';
import {
  claimRefresh,
  countUnreadableRefresh,
  hasRefreshToken,
  readToken,
  releaseRefresh,
  touchConnection,
} from '../../store/oauth-connections/change.ts';
import { readConnection } from '../../store/oauth-connections/read.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';
import type { AuthorizationDependencies } from '../authorizations/waiting.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import { type RegistrationDependencies, renewUnknownClient } from '../remote-servers/begin-registration.ts';
import { nobodyCanSignIn, refusesEveryToken, requireScopes, requireSignIn } from './require-sign-in.ts';
import type { TokenAsker } from './token-asker.ts';

export type TokenDependencies = Pick<ApiDependencies, 'remoteServers'> &
  AuthorizationDependencies &
  RegistrationDependencies;

/** All of it; the sidecar waits little longer. */
const limitMs = 8_000;
/** A turn to refresh; one request at the server takes less. */
const leaseSeconds = 15;
const betweenLooksMs = 200;
/** In a row: then the sign-in has ended. */
const maxUnreadableRefreshes = 2;

/**
 * Throws ApiError `unavailable` when there may be one later. Answers `authorization_required` whenever only the operator can help; a session
 * that nobody drives, such as a child, has no operator.
 */
export async function giveToken(
  dependencies: TokenDependencies,
  asker: TokenAsker,
  question: AccessTokenRequest,
): Promise<AccessTokenAnswer> {
  const { db } = dependencies;
  const { userId, workspaceId, server } = asker;
  const binding = await requireBinding(db, server);
  if (userId === null || binding === null || (await readMember(db, workspaceId, userId)) === null) {
    return nobodyCanSignIn(server.name);
  }
  const key = { registrationId: binding.registration.id, userId };
  const deadlineMs = Date.now() + limitMs;
  let hasRefreshed = false;
  while (Date.now() < deadlineMs) {
    const connection = await readConnection(db, key);
    if (connection === null) {
      return requireSignIn(dependencies, asker, binding);
    }
    if (!isBoundTo(connection, binding)) {
      await endSignIn(db, connection, 'unbound');
      return requireSignIn(dependencies, asker, binding);
    }
    if (question.renewed === true && question.rejected === tokenIdOf(connection)) {
      return refuseTokens(dependencies, asker, { binding, connection, said: question.said });
    }
    // A token that is newer than the rejected one may have what was missing.
    const { missing_scopes: missing, rejected } = question;
    if (missing !== undefined && (rejected === undefined || rejected === tokenIdOf(connection))) {
      return requireScopes(dependencies, asker, connection, missing);
    }
    // What a refresh gave is good, however soon it ends: another one would give no better.
    if (hasRefreshed || (await isGood(db, connection, question))) {
      return giveStored(dependencies, connection);
    }
    if (await claimRefresh(db, connection, leaseSeconds)) {
      const refused = await refresh(dependencies, binding, connection);
      if (refused) {
        return requireSignIn(dependencies, asker, binding);
      }
      hasRefreshed = true;
    } else {
      await sleep(betweenLooksMs);
    }
  }
  throw forNow();
}

const tokenIdOf = ({ id, generation }: ConnectionRow): string => `${id}.${generation}`;

/** Unless its server no longer takes it, or it is close to its end: without a refresh token, it is used to that. */
async function isGood(db: Db, connection: ConnectionRow, { rejected }: AccessTokenRequest): Promise<boolean> {
  const end = tokenEndOf(connection, Date.now());
  return (
    rejected !== tokenIdOf(connection) &&
    (end === 'far' || (end === 'late' && !(await hasRefreshToken(db, connection))))
  );
}

async function giveStored(
  { db, config }: TokenDependencies,
  connection: ConnectionRow,
): Promise<AccessTokenAnswer> {
  const token = await readToken(db, config.MASTER_KEYS, connection, 'access-token');
  // Another process may have replaced it between the two reads; then the id is that of the older, which costs a refresh at most.
  if (token === null) {
    throw forNow();
  }
  await touchConnection(db, connection.id);
  return {
    result: 'token',
    access_token: token,
    token_id: tokenIdOf(connection),
    expires_at: connection.expires_at,
  };
}

interface RefusedTokens {
  binding: Binding;
  connection: ConnectionRow;
  said: string | undefined;
}

/** The operator is asked to sign in once: a server that refuses the tokens of that sign-in too refuses all. */
async function refuseTokens(
  dependencies: TokenDependencies,
  asker: TokenAsker,
  { binding, connection, said }: RefusedTokens,
): Promise<AccessTokenAnswer> {
  const { db, config } = dependencies;
  const token = await readToken(db, config.MASTER_KEYS, connection, 'access-token');
  const why =
    said === undefined || repeatsSecret(said, token === null ? [] : [token])
      ? 'it does not say why'
      : `it says ${quote(said)}`;
  const refusal = `${quote(new URL(connection.url).host)} refused access tokens that had just been given for the last sign-in: ${why}.`;
  const isOfNoUse = await recordTokensRefused(db, connection, refusal);
  return isOfNoUse ? refusesEveryToken(asker.server.name, why) : requireSignIn(dependencies, asker, binding);
}

/** True when the server refuses the sign-in permanently; it has ended then. Throws `unavailable` for a server in trouble. */
async function refresh(
  dependencies: TokenDependencies,
  binding: Binding,
  connection: ConnectionRow,
): Promise<boolean> {
  const { db, config, log } = dependencies;
  const keys = config.MASTER_KEYS;
  const refreshToken = await readToken(db, keys, connection, 'refresh-token');
  const usable = await readUsableClient(db, keys, binding);
  if (refreshToken === null || usable === null) {
    await endSignIn(db, connection, 'refused');
    return true;
  }
  const signal = AbortSignal.timeout(limitMs);
  const context: OAuthContext = { ...dependencies.remoteServers, signal };
  const { resource, authorizationServer } = binding.server;
  try {
    const options = { refreshToken, resource, scopes: [] };
    const tokens = await refreshTokens(context, authorizationServer, usable, options, new Date());
    if (!(await storeRefreshed(db, keys, connection, tokens))) {
      const unwanted = { token: tokens.refreshToken, hint: 'refresh_token' } as const;
      await revokeToken(context, authorizationServer, usable, unwanted);
    }
    return false;
  } catch (error) {
    if (isRefusal(error)) {
      await endSignIn(db, connection, 'refused', { reason: error.message });
      await renewUnknownClient(dependencies, binding, error);
      return true;
    }
    // Whether the refresh token is used up is not known then: it is sent once more, by the next who asks.
    if (error instanceof OAuthTokenError && error.code === 'answer_refused') {
      const count = await countUnreadableRefresh(db, connection.id);
      if (count >= maxUnreadableRefreshes) {
        await endSignIn(db, connection, 'refused', { reason: error.message });
        return true;
      }
    } else {
      await releaseRefresh(db, connection.id);
    }
    log.warn({ err: error, connection_id: connection.id }, 'a sign-in at a remote server was not refreshed');
    throw forNow();
  }
}

const refusals = new Set([
  'invalid_grant',
  'invalid_client',
  'invalid_target',
  'invalid_scope',
  'request_refused',
]);

const isRefusal = (error: unknown): error is OAuthTokenError =>
  error instanceof OAuthTokenError && !error.isTemporary && refusals.has(error.code);

/** Null when it is not, or no longer, the registered one. Throws `unavailable` while it is being registered again. */
async function requireBinding(db: Db, server: FrozenServer): Promise<Binding | null> {
  const found = await readBinding(db, server);
  if (found.kind === 'pending') {
    throw forNow();
  }
  return found.kind === 'bound' ? found.binding : null;
}

const forNow = () =>
  new ApiError('unavailable', 'The sign-in at the remote server cannot be refreshed right now; try again', {
    retryAfterSeconds: 1,
  });
