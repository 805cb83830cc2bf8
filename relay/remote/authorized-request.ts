/**
 * Requests to the remote server with its credential: static headers, or an access token, which is replaced
 * once when it is refused.
 */

import { type IncomingMessage, request } from 'node:http';
import {
  type AccessTokenAnswer,
  type AccessTokenRequest,
  accessTokenAnswer,
  tokenMarginMs,
} from '../../contract/remote-server.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { asksForSignIn, missingScopes, refusalWords } from '../../lib/oauth/challenge.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { openStream, type StreamRequest } from '../../lib/outbound/open-stream.ts';
import type { OutboundContext } from '../../lib/outbound/send.ts';
import { type HttpAnswer, readResponseBody } from '../../lib/outbound/send.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
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

interface AccessToken {
  /** Of the header `Authorization`, without the scheme. */
  value: string;
  id: string;
  /**
   * Until when it is used without another question: it is about to expire, or the
   * person may have disconnected.
   */
  useUntilMs: number;
  /** Those that were asked for with it. */
  scopes: readonly string[];
}

/** How long a person who disconnects, or leaves, is still acted for. */
const reuseMs = 5_000;
/** RFC 6750 2.1, which is stricter than what a header may hold. */
const bearerToken = /^[\x21-\x7e]+$/;

/**
 * The access token that requests are made with: asked for every few seconds, since it may be taken back, and
 * by one request at a time.
 */
export class AccessTokens {
  readonly #ask: AskForToken;
  readonly #nowMs: () => number;
  readonly #runExclusive = createKeyedMutex();
  #kept: AccessToken | null = null;

  constructor(ask: AskForToken, nowMs: () => number = Date.now) {
    this.#ask = ask;
    this.#nowMs = nowMs;
  }

  /** The last one that was given, for whoever must not let it out; null when there was none. */
  get last(): string | null {
    return this.#kept?.value ?? null;
  }

  /** A token that is good as far as the platform can tell. Throws as `replace` does. */
  get(signal: AbortSignal): Promise<AccessToken> {
    return this.#next({}, signal);
  }

  /**
   * Another token than the rejected one, with these scopes beside its own. Throws RemoteError:
   * `authorization_required` with the platform's sentence when the operator has to sign in,
   * `server_unavailable` when there is no answer.
   */
  replace(
    rejected: AccessToken,
    missingScopes: readonly string[],
    signal: AbortSignal,
  ): Promise<AccessToken> {
    const scopes = missingScopes.length === 0 ? {} : { missing_scopes: [...missingScopes] };
    return this.#next({ rejected: rejected.id, ...scopes }, signal);
  }

  /**
   * Tells the platform that the server rejects this token as well, which was given for a rejected one, and in
   * which words (null for none), so that the operator is led to sign in, or told that it is of no use.
   * Returns the token that there is meanwhile. Throws as `replace` does.
   */
  reportRenewed(rejected: AccessToken, said: string | null, signal: AbortSignal): Promise<AccessToken> {
    return this.#next({ rejected: rejected.id, renewed: true, ...(said === null ? {} : { said }) }, signal);
  }

  /** Whoever waited for its turn may find what the one before it got. */
  #next(question: AccessTokenRequest, signal: AbortSignal): Promise<AccessToken> {
    return this.#runExclusive('question', async () => {
      const kept = this.#kept;
      if (kept !== null && answers(kept, question) && this.#nowMs() < kept.useUntilMs) {
        return kept;
      }
      this.#kept = null;
      const answer = await this.#ask(question, signal);
      if (answer.result === 'authorization_required') {
        throw new RemoteError('authorization_required', answer.message);
      }
      if (!bearerToken.test(answer.access_token)) {
        throw new RemoteError(
          'credential_refused',
          'The access token holds characters that no header may have',
        );
      }
      const expiresAtMs = answer.expires_at === null ? Infinity : Date.parse(answer.expires_at);
      const useUntilMs = this.#nowMs() + Math.min(reuseMs, usableMs(expiresAtMs - this.#nowMs()));
      const { missing_scopes: scopes = [] } = question;
      this.#kept = { value: answer.access_token, id: answer.token_id, useUntilMs, scopes };
      return this.#kept;
    });
  }
}

/** Of the time that it has left when it is given. */
const usableMs = (leftMs: number): number => leftMs - tokenMarginMs(leftMs);

const answers = (
  kept: AccessToken,
  { rejected, missing_scopes: missing = [] }: AccessTokenRequest,
): boolean => kept.id !== rejected && missing.every((scope) => kept.scopes.includes(scope));

/** Who has tokens: the sidecar, over the socket in the server's own directory. */
export type AskForToken = (question: AccessTokenRequest, signal: AbortSignal) => Promise<AccessTokenAnswer>;

const maxAnswerBytes = 256 * 1024;
const socketDelays = { firstDelayMs: 200, maxDelayMs: 2000 };
/** The platform is not there for now, or its answer was lost. */
class UnavailableError extends Error {}

/**
 * A function that throws RemoteError `server_unavailable` when there is no answer within `limitMs`, or one
 * that cannot be understood.
 */
export function tokenSocket(socketPath: string, limitMs: number): AskForToken {
  return async (question, signal) => {
    const attempt = (limited: AbortSignal) =>
      retry(() => ask(socketPath, question, limited), {
        ...socketDelays,
        signal: limited,
        isRetryable: (error) => error instanceof UnavailableError,
      });
    try {
      return await withinLimit(limitMs, signal, attempt);
    } catch {
      throw new RemoteError(
        'server_unavailable',
        'The platform gives no access token for the remote server at the moment; try again later.',
      );
    }
  };
}

async function ask(
  socketPath: string,
  question: AccessTokenRequest,
  signal: AbortSignal,
): Promise<AccessTokenAnswer> {
  const response = await post(socketPath, Buffer.from(JSON.stringify(question)), signal);
  const body = await readAnswer(response);
  if (response.statusCode !== 200) {
    throw response.statusCode === 503 ? new UnavailableError() : new Error('no access token');
  }
  return accessTokenAnswer.parse(JSON.parse(body));
}

function post(socketPath: string, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/access-token', method: 'POST', headers, signal }, resolve)
      .on('error', () => reject(new UnavailableError()))
      .end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  try {
    return (await readResponseBody(response, maxAnswerBytes, 'the answer')).toString();
  } catch (error) {
    throw error instanceof OutboundError ? error : new UnavailableError();
  }
}
