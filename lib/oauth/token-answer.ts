/** What a token endpoint gave (RFC 6749 5.1). Pure. */
import * as z from 'zod';
import type { AuthorizationServer } from './authorization-server.ts';
import { readFields } from './documents.ts';
import { quote } from './quote.ts';
import { isScope } from './scopes.ts';

/** Holds secrets: it is sealed before it is stored, and never logged. */
export interface Tokens {
  accessToken: string;
  /** Null when none was given. */
  refreshToken: string | null;
  /** Null when the server did not say. */
  expiresAt: Date | null;
  /** Which were granted, also when they are others than were asked for; null when the server did not say. */
  scopes: readonly string[] | null;
  tokenType: 'Bearer';
}

const maxTokenLength = 64 * 1024;
const maxScopes = 100;
const maxLifetimeSeconds = 365 * 24 * 3600;
const token = z.string('must be a text').max(maxTokenLength, `is longer than ${maxTokenLength} characters`);
const schema = z.object({
  /** It goes into a header, where a space or a line break would begin something else. RFC 6750 2.1 admits fewer signs; servers do not. */
  access_token: token.regex(/^[\x21-\x7e]+$/, 'must have only characters of a token'),
  token_type: z
    .string('must be "Bearer"')
    .regex(/^bearer$/i, 'must be "Bearer", the only type that the platform uses'),
  expires_in: z.preprocess(
    // Some servers send a text, of however many digits.
    (value) => (typeof value === 'string' && /^\d{1,100}$/.test(value) ? Number(value) : value),
    z.number('must be a number of seconds').nonnegative('must not be negative').nullish(),
  ),
  /** RFC 6749 A.17. Empty where a server's language writes what is not there so. */
  refresh_token: token.regex(/^[\x20-\x7e]*$/, 'must have only characters of a token').nullish(),
  scope: z
    .string('must be a text')
    .transform((text) => [...new Set(text.split(' ').filter((each) => each !== ''))])
    .refine((scopes) => scopes.every(isScope), 'must have only characters of scopes')
    .refine(({ length }) => length <= maxScopes, `must name at most ${maxScopes} scopes`)
    .nullish(),
});
/** No message repeats what any of them holds: a server may have put a token anywhere. */
const secretFields = new Set(Object.keys(schema.shape));

/**
 * Reads the answer that was received at `now`. A lifetime is cut to a year. Anything that is not read here, such as an `id_token`, is
 * ignored. Throws OAuthDiscoveryError `answer_refused`.
 */
export function parseTokens(
  { issuer }: Pick<AuthorizationServer, 'issuer'>,
  value: unknown,
  now: Date,
): Tokens {
  const what = `the answer of ${quote(issuer)} with tokens`;
  const answer = readFields(schema, value, what, 'answer_refused', secretFields);
  const { expires_in: lifetimeSeconds, scope } = answer;
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token || null,
    // Servers whose tokens do not expire send 0; one that had expired already would be of no use.
    expiresAt:
      typeof lifetimeSeconds === 'number' && lifetimeSeconds > 0
        ? new Date(now.getTime() + Math.min(lifetimeSeconds, maxLifetimeSeconds) * 1000)
        : null,
    scopes: scope === undefined || scope === null || scope.length === 0 ? null : scope,
    tokenType: 'Bearer',
  };
}
