/**
 * The fixed part of a header, before the value of its variable. Everybody in the workspace reads it. Pure.
 */
import { valueLooksSecret } from '../../text/secret-looks.ts';

const scheme = /^(Bearer|Basic|Token|Digest|ApiKey)( |$)/i;

/**
 * Why it is no prefix; null for a scheme such as `Bearer `, and for other text that looks like no credential.
 */
export const headerPrefixProblem = (prefix: string): string | null =>
  prefix
    .replace(scheme, '')
    .split(/\s+/)
    .some((word) => valueLooksSecret(word))
    ? 'looks like a secret, which everybody would read: let a variable hold it'
    : null;
