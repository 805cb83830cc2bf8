/**
 * The access token that requests are made with: asked for every few seconds, since it may be taken back, and
 * by one request at a time.
 */
import { type AccessTokenRequest, tokenMarginMs } from '../../contract/remote-server.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { RemoteError } from './remote-error.ts';
import type { AskForToken } from './token-socket.ts';

export interface AccessToken {
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
