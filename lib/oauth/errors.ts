/**
 * Why a remote server cannot be used, or no client of it be made, and what of a server's words is shown.
 * Pure.
 */

/** For the admin who entered the server's URL. */
export type OAuthDiscoveryErrorCode =
  | 'unreachable'
  | 'address_refused'
  | 'answer_refused'
  | 'url_refused'
  | 'not_an_mcp_server'
  | 'static_key'
  | 'challenge_invalid'
  | 'resource_metadata_missing'
  | 'resource_metadata_invalid'
  | 'resource_refused'
  | 'authorization_server_refused'
  | 'authorization_server_missing'
  | 'authorization_server_invalid'
  | 'issuer_mismatch'
  | 'pkce_unsupported'
  | 'endpoint_refused'
  | 'feature_unsupported'
  | 'client_missing'
  | 'registration_refused'
  | 'registration_invalid'
  | 'deletion_refused';

/**
 * Its message is one sentence, or two where there is a way on; it holds no credential, and text of a
 * server only as `quote` makes it. `isTemporary` says that the same request may succeed later without
 * anybody changing anything.
 */
export class OAuthDiscoveryError extends Error {
  override name = 'OAuthDiscoveryError';
  readonly code: OAuthDiscoveryErrorCode;
  readonly isTemporary: boolean;

  constructor(code: OAuthDiscoveryErrorCode, message: string, isTemporary = false) {
    super(message);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

const maxShown = 200;
/**
 * Controls, invisible and unassigned characters, those that turn the direction of text,
 * and separators of lines.
 */
const unreadable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/**
 * The text in quotes, on one line, without invisible characters and quotes of its own, cut to 200 characters.
 */
export function quote(text: string): string {
  // Cut before the characters are looked at: a server may send megabytes.
  const visible = text
    .slice(0, maxShown * 10)
    .replace(unreadable, ' ')
    .replaceAll('"', "'")
    .trim();
  const signs = [...visible];
  return `"${signs.slice(0, maxShown).join('')}${signs.length > maxShown ? '…' : ''}"`;
}

/** Quotes what a field holds, whatever its type. */
export function quoteValue(value: unknown): string {
  return typeof value === 'string'
    ? quote(value)
    : Array.isArray(value)
      ? 'a list'
      : `${value === null ? 'null' : typeof value}`;
}

/** The members `error` and `error_description` of an authorization server (RFC 6749 4.1.2.1 and 5.2). */
export interface SaidError {
  error: string;
  description: string | undefined;
}

/** Both in quotes, or a remark in their place when they repeat one of `secrets`. */
export function quoteError({ error, description }: SaidError, secrets: readonly string[]): string {
  const said = quote(error) + (description === undefined ? '' : `, saying ${quote(description)}`);
  return repeatsSecret(said, secrets)
    ? 'with words that are left out because they repeat a credential'
    : said;
}

/** So many letters and digits in a row are no accident. */
const telling = 12;

/**
 * Whether `text` has a part of one of `secrets` that could be of use to its reader: twelve letters
 * and digits in a row, or all of a shorter one. Case, encoding for forms, and signs between the
 * letters make no difference.
 */
export function repeatsSecret(text: string, secrets: readonly string[]): boolean {
  const said = lettersOf(text);
  return secrets.some(
    (secret) =>
      secret !== '' &&
      (text.includes(secret) ||
        sharesPart(said, lettersOf(secret)) ||
        sharesPart(said, lettersOf(formEncoded(secret)))),
  );
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function sharesPart(said: string, secret: string): boolean {
  if (secret.length <= telling) {
    return secret !== '' && said.includes(secret);
  }
  for (let at = 0; at + telling <= said.length; at += 1) {
    if (secret.includes(said.slice(at, at + telling))) {
      return true;
    }
  }
  return false;
}

/** One value of a form, as RFC 6749 2.3.1 has it for ids and secrets in `Authorization: Basic`. */
export const formEncoded = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);
