/**
 * An access token for a bridge: the operator's own, of the server that was frozen, and refreshed where it has
 * to be. The refresh token never leaves this process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readUsableClient } from '../../commands/oauth-clients/clients.ts';
import {
  type Binding,
  endSignIn,
  isBoundTo,
  readBinding,
  recordTokensRefused,
  storeRefreshed,
  tokenEndOf,
} from '../../commands/oauth-connections/connections.ts';
import type { AccessTokenAnswer, AccessTokenRequest } from '../../contract/remote-server.ts';
import { quote, repeatsSecret } from '../../lib/oauth/errors.ts';
import type { OAuthContext } from '../../lib/oauth/requests.ts';
import { OAuthTokenError } from '../../lib/oauth/token-errors.ts';
import { refreshTokens, revokeToken } from '../../lib/oauth/tokens.ts';
import type { Db } from '../../store/database.ts';
import { readMember } from '../../store/members/members.ts';
import {
  claimRefresh,
  countUnreadableRefresh,
  hasRefreshToken,
  readToken,
  releaseRefresh,
  touchConnection,
} from '../../store/oauth-connections/change.ts';
import { type ConnectionRow, readConnection } from '../../store/oauth-connections/read.ts';
import type { AuthorizationDependencies } from '../authorizations/waiting.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import {
  type RegistrationDependencies,
  renewUnknownClient,
} from '../mcp-registrations/begin-registration.ts';
import {
  nobodyCanSignIn,
  refusesEveryToken,
  requireScopes,
  requireSignIn,
  type TokenAsker,
} from './require-sign-in.ts';

export type TokenDependencies = Pick<ApiDependencies, 'remoteServers'> &
  AuthorizationDependencies &
  RegistrationDependencies;

/** All of it; the sidecar waits little longer. */
const limitMs = 8_000;
/** The lease to refresh; one request at the server takes less. */
const leaseSeconds = 15;
const betweenLooksMs = 200;
/** In a row: then the sign-in has ended. */
const maxUnreadableRefreshes = 2;

/**
 * Throws ApiError `unavailable` when there may be one later. Answers `authorization_required` whenever only
 * the operator can help; a session that nobody drives, such as a child, has no operator.
 */
export async function giveToken(
  dependencies: TokenDependencies,
  asker: TokenAsker,
  question: AccessTokenRequest,
): Promise<AccessTokenAnswer> {
  const { db } = dependencies;
  const { userId, workspaceId, server } = asker;
  const found = await readBinding(db, server);
  if (found.kind === 'none' || userId === null || (await readMember(db, workspaceId, userId)) === null) {
    return nobodyCanSignIn(server.name);
  }
  if (found.kind === 'pending') {
    return giveMeanwhile(dependencies, { binding: found.inUse, userId, question });
  }
  const { binding } = found;
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

interface Meanwhile {
  binding: Binding | null;
  userId: string;
  question: AccessTokenRequest;
}

/**
 * While a server that is in use is discovered again, which takes minutes when it is in trouble, calls go on
 * with a token until it ends. Whatever needs another one waits for the outcome. Throws `unavailable`.
 */
async function giveMeanwhile(
  dependencies: TokenDependencies,
  { binding, userId, question }: Meanwhile,
): Promise<AccessTokenAnswer> {
  const { db } = dependencies;
  const connection =
    binding && (await readConnection(db, { registrationId: binding.registration.id, userId }));
  if (
    binding === null ||
    connection === null ||
    !isBoundTo(connection, binding) ||
    question.missing_scopes !== undefined ||
    question.rejected === tokenIdOf(connection) ||
    tokenEndOf(connection, Date.now()) === 'ended'
  ) {
    throw forNow();
  }
  return giveStored(dependencies, connection);
}

const tokenIdOf = ({ id, generation }: ConnectionRow): string => `${id}.${generation}`;

/**
 * Unless its server no longer takes it, or it is close to its end: without a refresh
 * token, it is used to that.
 */
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
  // Another process may have replaced it between the two reads; then the id is that of the older, which
  // costs a refresh at most.
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

/**
 * The operator is asked to sign in once: a server that refuses the tokens of that sign-in too refuses all.
 */
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

/**
 * True when the server refuses the sign-in permanently; it has ended then. Throws `unavailable`
 * for a server in trouble.
 */
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
  const workspaceId = connection.workspace_id;
  const context: OAuthContext = { ...dependencies.remoteServers, workspaceId, signal };
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
    log.warn(
      { err: error, connection_id: connection.id },
      'a connection to a remote server was not refreshed',
    );
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

const forNow = () =>
  new ApiError('unavailable', 'The sign-in at the remote server cannot be refreshed right now; try again', {
    retryAfterSeconds: 1,
  });
