/** As many digits as tell the calls of a request apart. */
const shownDigits = 8;

/**
 * `this call only (3f2a9c01)`: of what permits only the call with this digest, which
 * not everybody sees. Pure.
 */
export const oneCallText = (digest: string | null): string =>
  digest === null ? 'this call only' : `this call only (${digest.slice(0, shownDigits)})`;
