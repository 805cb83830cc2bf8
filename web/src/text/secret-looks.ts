/**
 * Whether text is likely a credential. It errs on the side of yes: a secret that is stored as plain
 * text is read by everybody.
 */

const secretName =
  /(^|[_-])(token|secret|password|passwd|pwd|passphrase|pass|credentials?|creds|auth|authorization|bearer|pat|dsn|cookie|session|private|(api|access|secret|private|auth|encryption|signing|client)?_?key)s?([_-]|\d|$)|apikey|connection_?string|(database|db|redis|mongo|postgres|mongodb|amqp)_?(url|uri)$/i;
const camelCaseBreak = /([a-z0-9])([A-Z])/g;

/** By the name of a variable, or of an option such as `--api-key`. */
export function nameLooksSecret(name: string): boolean {
  return secretName.test(name.replace(/^-+/, '').replaceAll(camelCaseBreak, '$1_$2'));
}

const knownPrefix =
  /^(gh[pousr]_|github_pat_|glpat-|sk-|sk_|rk_|pk_live|xox[abposr]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|pypi-|hf_|lin_api_|ntn_|secret_|Bearer |Basic )/;
const withPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*:[^@/\s]+@/i;
/** Filled in by a desktop client when it starts the server. */
const reference = /\$\{[^}]+\}|^\$[A-Z_]+$|^%[A-Z_]+%$/;
const minRandomLength = 20;

/**
 * By the value alone: a known form of token, a URL with a password, a reference, or
 * something that looks random.
 */
export function valueLooksSecret(value: string): boolean {
  return knownPrefix.test(value) || withPassword.test(value) || reference.test(value) || looksRandom(value);
}

const scheme = /\b(Bearer|Basic)\s+\S/i;
const namedPart = /([\w-]+)["']?\s*[=:]\s*["']?[^\s"'/]/g;

/**
 * By any part of a longer text, such as headers as JSON or a connection string: a word, or what a
 * secret's name stands before.
 */
export function textLooksSecret(text: string): boolean {
  return (
    valueLooksSecret(text) ||
    scheme.test(text) ||
    text.split(/[\s"'{},;]+/).some(valueLooksSecret) ||
    [...text.matchAll(namedPart)].some(([, name = '']) => nameLooksSecret(name))
  );
}

function looksRandom(value: string): boolean {
  return (
    value.length >= minRandomLength &&
    /^[A-Za-z0-9+/_=.~-]+$/.test(value) &&
    // A path or a package has words; a token has digits among its letters.
    value.split(/[/._=-]/).some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part))
  );
}
