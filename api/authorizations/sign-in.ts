/**
 * A person signs in to a remote server: the address that their browser is led to, and the answer of the
 * authorization server, which it brings.
 */
import { randomBytes } from 'node:crypto';
import { connect, consumeAttempt, storeAttempt } from '../../commands/oauth-authorizations/authorizations.ts';
import { readUsableClient, type UsableClient } from '../../commands/oauth-clients/clients.ts';
import {
  type Binding,
  boundToOf,
  isBoundTo,
  readBindingOf,
} from '../../commands/oauth-connections/connections.ts';
import { authorizationPage, unknownAuthorizationPage } from '../../contract/authorization.ts';
import { notAllowedStart } from '../../contract/sentences.ts';
import {
  type AuthorizationResponse,
  buildAuthorizationRequest,
  OAuthResponseError,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../lib/oauth/authorization.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import type { OAuthContext } from '../../lib/oauth/requests.ts';
import { OAuthTokenError } from '../../lib/oauth/token-errors.ts';
import { redeemCode, revokeToken, type Tokens } from '../../lib/oauth/tokens.ts';
import {
  type OwnAuthorization,
  readOwnAuthorization,
  recordProblem,
  type TakenAttempt,
} from '../../store/oauth-authorizations/authorizations.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, notFound } from '../errors.ts';
import {
  type RegistrationDependencies,
  renewUnknownClient,
} from '../mcp-registrations/begin-registration.ts';
import type { SignedIn } from '../route.ts';
import { type AuthorizationDependencies, endWaiting } from './waiting.ts';

export type BeginDependencies = Pick<ApiDependencies, 'db' | 'config' | 'remoteServers'>;

/**
 * Throws 404 for anybody but the person who is to sign in, 409 when it cannot be begun (any more) or not at
 * `browserOrigin`, and `unavailable` while the entry is being registered again.
 */
export async function begin(
  dependencies: BeginDependencies,
  { user, signInId }: SignedIn,
  { id, browserOrigin }: { id: string; browserOrigin: string },
): Promise<{ url: string }> {
  const { db, config, remoteServers } = dependencies;
  const authorization = await requireOwn(dependencies, user.id, id);
  requirePending(authorization);
  const binding = await requireBinding(dependencies, authorization);
  const { client, server } = binding;
  requireOrigin(client.redirect_uri, browserOrigin);
  const request = asConflict(() =>
    buildAuthorizationRequest(
      remoteServers.policy,
      {
        server: server.authorizationServer,
        clientId: client.client_id,
        redirectUri: client.redirect_uri,
        resource: server.resource,
        scopes: authorization.scopes,
      },
      randomBytes,
    ),
  );
  const { url, state, codeVerifier } = request;
  const bound = boundToOf(binding);
  const attempt = { state, codeVerifier, signInId, bound };
  if (!(await storeAttempt(db, config.MASTER_KEYS, authorization, attempt))) {
    throw new ApiError(
      'conflict',
      'The sign-in is over, or asks for something else by now; look at it again',
    );
  }
  return { url };
}

/** Throws 404 for anybody else, and once the person has left the workspace. */
export async function requireOwn(
  { db }: Pick<ApiDependencies, 'db'>,
  userId: string,
  id: string,
): Promise<OwnAuthorization> {
  const own = await readOwnAuthorization(db, userId, id);
  if (own === null) {
    throw notFound('The sign-in');
  }
  return own;
}

function requirePending({ status }: OwnAuthorization): void {
  if (status !== 'pending') {
    throw over(status);
  }
}

const over = (status: Exclude<OwnAuthorization['status'], 'pending'>) =>
  new ApiError(
    'conflict',
    {
      connected: 'You are signed in already',
      expired: 'The time for this sign-in is over; start the session again, or let its agent repeat the call',
      cancelled:
        'Nothing waits for this sign-in any more: its session has ended, or the entry is another server by now',
    }[status],
  );

async function requireBinding(
  { db, config }: BeginDependencies,
  { registration_id, entry_name }: OwnAuthorization,
): Promise<Binding> {
  const found = await readBindingOf(db, registration_id);
  if (found.kind === 'pending') {
    throw new ApiError('unavailable', `"${entry_name}" is being registered again; try again in a moment`, {
      retryAfterSeconds: 5,
    });
  }
  const client =
    found.kind === 'bound' ? await readUsableClient(db, config.MASTER_KEYS, found.binding) : null;
  if (found.kind !== 'bound' || client === null) {
    throw new ApiError(
      'conflict',
      `Nobody can sign in to "${entry_name}" now; ask an admin to look at its page in the catalog`,
    );
  }
  return found.binding;
}

/**
 * The cookie of this browser is the proof later that the answer is this person's: it has to come
 * back to the same address.
 */
function requireOrigin(redirectUri: string, browserOrigin: string): void {
  const { origin } = new URL(redirectUri);
  if (origin !== browserOrigin) {
    throw new ApiError(
      'conflict',
      `Open the platform at ${origin} to sign in: the authorization server sends you back to that address. If it is out of date, an admin has to discover the entry again`,
    );
  }
}

function asConflict<Result>(build: () => Result): Result {
  try {
    return build();
  } catch (error) {
    throw error instanceof OAuthDiscoveryError ? new ApiError('conflict', error.message) : error;
  }
}

export type FinishDependencies = AuthorizationDependencies &
  RegistrationDependencies &
  Pick<ApiDependencies, 'remoteServers'>;

export interface BroughtAnswer {
  /** Of the browser that brings it. */
  signInId: string;
  /** Whose redirect URI this is. */
  registrationId: string;
  /** Without its question mark. */
  query: string;
}

/** To redeem a code, and to revoke what nobody wants. */
const limitMs = 20_000;

/**
 * Signs the person in, if this is the one answer to a sign-in that this browser began, from the
 * server where it began. Returns the page to show: everything that goes wrong is told there, and
 * the person may begin again.
 */
export async function finish(dependencies: FinishDependencies, answer: BroughtAnswer): Promise<string> {
  const { db, config, log } = dependencies;
  const response = parsed(answer.query);
  const { signInId, registrationId } = answer;
  const taken =
    response &&
    (await consumeAttempt(db, config.MASTER_KEYS, { state: response.state, signInId, registrationId }));
  if (response === null || taken === null) {
    return unknownAuthorizationPage;
  }
  const { id } = taken.authorization;
  const problem = await signIn(dependencies, taken, response).catch((err: unknown) => {
    log.error({ err, authorization_id: id }, 'a sign-in at a remote server was not completed');
    return notCompleted;
  });
  if (problem !== null) {
    await recordProblem(db, id, problem);
  }
  return authorizationPage(id);
}

/** Null for an answer without the state of any sign-in. */
function parsed(query: string): AuthorizationResponse | null {
  try {
    return parseAuthorizationResponse(query);
  } catch (error) {
    if (error instanceof OAuthResponseError) {
      return null;
    }
    throw error;
  }
}

/** Returns why it failed, as a sentence for the person, or null. */
async function signIn(
  dependencies: FinishDependencies,
  taken: TakenAttempt,
  response: AuthorizationResponse,
): Promise<string | null> {
  const found = await readUsable(dependencies, taken);
  if (found === null) {
    return serverChanged;
  }
  const { binding, client } = found;
  try {
    const outcome = readAuthorizationResponse(binding.server.authorizationServer, response);
    if (outcome.kind !== 'code') {
      return `${outcome.kind === 'denied' ? notAllowedStart : ''}${outcome.sentence}`;
    }
    const workspaceId = taken.authorization.workspace_id;
    const context = { ...dependencies.remoteServers, workspaceId, signal: AbortSignal.timeout(limitMs) };
    const tokens = await redeem(context, found, taken, outcome.code);
    return await store(dependencies, context, { taken, binding, client, tokens });
  } catch (error) {
    if (error instanceof OAuthResponseError) {
      return error.message;
    }
    if (error instanceof OAuthTokenError) {
      return tokensRefused(dependencies, binding, error);
    }
    throw error;
  }
}

const serverChanged =
  'The catalog entry was changed while you signed in, so that sign-in is not used; sign in again.';

const notCompleted = 'The platform could not complete the sign-in; sign in again.';

interface Usable {
  binding: Binding;
  client: UsableClient;
}

/** Null when it is not what the sign-in was begun with. */
async function readUsable(
  { db, config }: FinishDependencies,
  { authorization, attempt }: TakenAttempt,
): Promise<Usable | null> {
  const found = await readBindingOf(db, authorization.registration_id);
  if (found.kind !== 'bound' || !isBoundTo(attempt, found.binding)) {
    return null;
  }
  const { binding } = found;
  const client = await readUsableClient(db, config.MASTER_KEYS, binding);
  return client && { binding, client };
}

function redeem(
  context: OAuthContext,
  { binding, client }: Usable,
  { codeVerifier }: TakenAttempt,
  code: string,
): Promise<Tokens> {
  const { authorizationServer, resource } = binding.server;
  const redemption = { code, codeVerifier, resource, redirectUri: binding.client.redirect_uri };
  return redeemCode(context, authorizationServer, client, redemption, new Date());
}

type Received = Usable & { taken: TakenAttempt; tokens: Tokens };

/**
 * Returns why the tokens are not wanted, or null. Those, and tokens that cannot be
 * stored, are revoked at once.
 */
async function store(
  dependencies: FinishDependencies,
  context: OAuthContext,
  received: Received,
): Promise<string | null> {
  const { db, config } = dependencies;
  const { authorization, attempt } = received.taken;
  const signedIn = { authorization, begun: attempt, tokens: received.tokens };
  const settled = await connect(db, config.MASTER_KEYS, signedIn).catch(async (error: unknown) => {
    await revoke(dependencies, context, received);
    throw error;
  });
  if (settled === null) {
    await revoke(dependencies, context, received);
    return serverChanged;
  }
  endWaiting(dependencies, settled);
  return null;
}

/** As far as the server lets it. */
async function revoke(
  { log }: FinishDependencies,
  context: OAuthContext,
  { taken, binding, client, tokens }: Received,
): Promise<void> {
  const unwanted =
    tokens.refreshToken === null
      ? ({ token: tokens.accessToken, hint: 'access_token' } as const)
      : ({ token: tokens.refreshToken, hint: 'refresh_token' } as const);
  await revokeToken(context, binding.server.authorizationServer, client, unwanted).catch((err: unknown) =>
    log.warn({ err, authorization_id: taken.authorization.id }, 'unwanted tokens were not revoked'),
  );
}

async function tokensRefused(
  dependencies: FinishDependencies,
  binding: Binding,
  error: OAuthTokenError,
): Promise<string> {
  if (await renewUnknownClient(dependencies, binding, error)) {
    return `${error.message} The platform registers again; sign in again in a moment.`;
  }
  return error.code === 'invalid_client'
    ? `${error.message} It does not do so by itself, since nobody has signed in with this client, or an admin entered it; ask an admin to look at the entry.`
    : `${error.message} Sign in again.`;
}
