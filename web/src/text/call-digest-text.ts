/** As many digits as tell the calls of a request apart. */
const shownDigits = 8;

/** `exactly one call (3f2a9c01)`: of what permits only the call with this digest. Pure. */
export const oneCallText = (digest: string): string => `exactly one call (${digest.slice(0, shownDigits)})`;
