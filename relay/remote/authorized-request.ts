/**
 * Requests to the remote server with its credential: static headers, or an access token, which is replaced
 * once when it is refused.
 */
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';
import { openStream, type StreamRequest } from '../../lib/outbound/open-stream.ts';
import type { OutboundContext } from '../../lib/outbound/send.ts';
import { retry } from '../../lib/timing/retry.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';
import { asksForSignIn, missingScopes, refusalWords } from './challenge.ts';
import { RemoteError } from './remote-error.ts';
import type { StaticCredential } from './static-headers.ts';

export interface CredentialDependencies {
  context: Omit<OutboundContext, 'signal'>;
  staticCredential: StaticCredential;
  /** Null for a server that nobody signs in to. */
  tokens: AccessTokens | null;
}

/** A connection that was refused carried nothing, so the request may be made again. */
const refusedConnection = {
  attempts: 2,
  firstDelayMs: 500,
  isRetryable: (error: unknown) => error instanceof OutboundError && error.code === 'connection_refused',
};

/**
 * Makes the request, again with another token when the server refuses the first one (401), or asks for more
 * scopes (403): each once. Neither status means that it did anything. Returns an answer of any other status;
 * its body must be read or destroyed. Throws RemoteError and OutboundError, and the reason of `signal`.
 */
export async function sendAuthorized(
  dependencies: CredentialDependencies,
  request: StreamRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { tokens } = dependencies;
  let token = (await tokens?.get(signal)) ?? null;
  let [mayRenew, mayStepUp] = [true, true];
  for (;;) {
    const answer = await sendOnce(dependencies, request, token, signal);
    if (answer.status !== 401 && answer.status !== 403) {
      return answer;
    }
    answer.body.destroy();
    const scopes = missingScopes(answer);
    const isStepUp = answer.status === 403 && scopes !== null;
    if (tokens === null || token === null || (answer.status === 403 && !isStepUp)) {
      throw refusedCredential(dependencies, request.url, answer);
    }
    if (isStepUp ? !mayStepUp : !mayRenew) {
      if (!isStepUp) {
        await tokens.reportRenewed(token, refusalWords(answer), signal);
      }
      throw stillRefused(request.url, isStepUp);
    }
    [mayRenew, mayStepUp] = [mayRenew && isStepUp, mayStepUp && !isStepUp];
    token = await tokens.replace(token, scopes ?? [], signal);
  }
}

function sendOnce(
  { context, staticCredential }: CredentialDependencies,
  request: StreamRequest,
  token: AccessToken | null,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const credential = token === null ? {} : { authorization: `Bearer ${token.value}` };
  const headers = { ...staticCredential.headers, ...credential, ...request.headers };
  return retry(() => openStream({ ...context, signal }, { ...request, headers }), {
    ...refusedConnection,
    signal,
  });
}

function refusedCredential(
  { tokens, staticCredential }: CredentialDependencies,
  { host }: URL,
  answer: Pick<HttpAnswer, 'status' | 'headers'>,
): RemoteError {
  const { status } = answer;
  const hasNone = tokens === null && staticCredential.secrets.length === 0;
  if (hasNone && status === 401 && asksForSignIn(answer)) {
    return new RemoteError(
      'credential_refused',
      `${host} asks for a sign-in for this (401), and asked for none when its catalog entry was registered, so nobody can sign in to it; an admin can discover the entry again, or its operator have it ask from the beginning.`,
    );
  }
  return new RemoteError(
    'credential_refused',
    hasNone
      ? `${host} asks for a credential (${status}), and its catalog entry has none; an admin can add one.`
      : tokens === null
        ? `${host} refuses the credential in the headers of its catalog entry (${status}); an admin can replace it.`
        : `${host} does not permit this to the person who signed in (${status}).`,
  );
}

const stillRefused = ({ host }: URL, isStepUp: boolean): RemoteError =>
  new RemoteError(
    'authorization_required',
    isStepUp
      ? `${host} asks for further permissions, also with a token that was to have them; the operator has to sign in to it again.`
      : `${host} refuses a new access token, too; the operator has to sign in to it again.`,
  );
