/** Why a server refuses a token, in its own words (RFC 6750 3.1). Pure. */
import { readSignInChallenge } from '../../lib/oauth/sign-in-challenge.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';

const maxLength = 500;

/** The error and its description, as they came; null when the answer has none that can be read. */
export function refusalWords({ headers }: Pick<HttpAnswer, 'headers'>): string | null {
  try {
    const { error, description } = readSignInChallenge(headers['www-authenticate']);
    const words = [error, description].filter((each) => (each ?? '') !== '').join(': ');
    return words === '' ? null : words.slice(0, maxLength);
  } catch {
    return null;
  }
}
