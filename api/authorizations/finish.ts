/** The answer of an authorization server, brought by the browser of the person who signed in there. */
import { consumeAttempt } from '../../commands/oauth-authorizations/attempts.ts';
import { connect } from '../../commands/oauth-authorizations/connect.ts';
import { readUsableClient, type UsableClient } from '../../commands/oauth-clients/read-client.ts';
import { type Binding, isBoundTo, readBindingOf } from '../../commands/oauth-connections/binding.ts';
import { authorizationPage, unknownAuthorizationPage } from '../../contract/authorization.ts';
import {
  type AuthorizationResponse,
  OAuthResponseError,
  parseAuthorizationResponse,
  readAuthorizationResponse,
} from '../../lib/oauth/authorization-response.ts';
import type { OAuthContext } from '../../lib/oauth/context.ts';
import { revokeToken } from '../../lib/oauth/revoke-token.ts';
import type { Tokens } from '../../lib/oauth/token-answer.ts';
import { OAuthTokenError } from '../../lib/oauth/token-error.ts';
import { redeemCode } from '../../lib/oauth/token-request.ts';
import { recordProblem, type TakenAttempt } from '../../store/oauth-authorizations/change.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type RegistrationDependencies, renewUnknownClient } from '../remote-servers/begin-registration.ts';
import { type AuthorizationDependencies, endWaiting } from './waiting.ts';

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
 * Signs the person in, if this is the one answer to a sign-in that this browser began, from the server where it began. Returns the page to show:
 * everything that goes wrong is told there, and the person may begin again.
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
      return outcome.sentence;
    }
    const context = { ...dependencies.remoteServers, signal: AbortSignal.timeout(limitMs) };
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

/** Returns why the tokens are not wanted, or null. Those, and tokens that cannot be stored, are revoked at once. */
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
