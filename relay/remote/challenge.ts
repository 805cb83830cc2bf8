/** What a server says in `WWW-Authenticate` of a request that it refuses (RFC 6750 3). Pure. */
import { readSignInChallenge, type SignInChallenge } from '../../lib/oauth/challenge.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';

type Headed = Pick<HttpAnswer, 'headers'>;

const maxWordsLength = 500;

/** Null when the header cannot be read, as with a scope that no scope can be called. */
function challengeOf({ headers }: Headed): SignInChallenge | null {
  try {
    return readSignInChallenge(headers['www-authenticate']);
  } catch {
    return null;
  }
}

/**
 * The scopes that an answer `insufficient_scope` asks for, empty when it names none that can be read;
 * null for any other answer.
 */
export function missingScopes(answer: Headed & Pick<HttpAnswer, 'status'>): string[] | null {
  if (answer.status !== 403) {
    return null;
  }
  const challenge = challengeOf(answer);
  if (challenge === null) {
    return [];
  }
  return challenge.error === 'insufficient_scope' ? [...(challenge.scopes ?? [])] : null;
}

/**
 * Why a server refuses a token: the error and its description, as they came; null when the answer
 * has none that can be read.
 */
export function refusalWords(answer: Headed): string | null {
  const challenge = challengeOf(answer);
  const words = [challenge?.error, challenge?.description].filter((each) => (each ?? '') !== '').join(': ');
  return words === '' ? null : words.slice(0, maxWordsLength);
}

export const asksForSignIn = (answer: Headed): boolean => challengeOf(answer)?.asksFor === 'bearer';
