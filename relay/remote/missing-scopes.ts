/** What a server lacks in a token (RFC 6750 3.1). Pure. */
import { readSignInChallenge } from '../../lib/oauth/sign-in-challenge.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';

/** The scopes that an answer `insufficient_scope` asks for, empty when it names none that can be read; null for any other answer. */
export function missingScopes({ status, headers }: Pick<HttpAnswer, 'status' | 'headers'>): string[] | null {
  if (status !== 403) {
    return null;
  }
  try {
    const { error, scopes } = readSignInChallenge(headers['www-authenticate']);
    return error === 'insufficient_scope' ? [...(scopes ?? [])] : null;
  } catch {
    // A scope that no scope can be called.
    return [];
  }
}
