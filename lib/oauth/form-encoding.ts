/** `application/x-www-form-urlencoded`. Pure. */

/** One value, as RFC 6749 2.3.1 has it for ids and secrets in `Authorization: Basic`. */
export const formEncoded = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);
