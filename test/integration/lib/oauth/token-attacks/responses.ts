/**
 * Answers by the person's browser that are another server's, a thief's, or ambiguous. Placeholders:
 * STATE and ISSUER, encoded.
 */
export interface ResponseAttack {
  name: string;
  query: string;
  /** Whether the server's metadata says that it names itself; true by default. */
  sendsIssuer?: boolean;
  /** The error's code, or the outcome's kind. */
  becomes: 'response_invalid' | 'issuer_missing' | 'issuer_mismatch' | 'denied' | 'refused';
}

const stateAndCode = 'state=STATE&code=CODE';
const rows: [name: string, query: string, becomes: ResponseAttack['becomes'], sendsIssuer?: boolean][] = [
  ['the issuer of another server', `${stateAndCode}&iss=https%3A%2F%2Fevil.test`, 'issuer_mismatch'],
  [
    'the issuer of another server, though none was announced',
    `${stateAndCode}&iss=https%3A%2F%2Fevil.test`,
    'issuer_mismatch',
    false,
  ],
  ['no issuer, though it was announced', stateAndCode, 'issuer_missing'],
  ['an empty issuer', `${stateAndCode}&iss=`, 'issuer_mismatch'],
  ['an empty issuer, though none was announced', `${stateAndCode}&iss=`, 'issuer_mismatch', false],
  ['a slash after the issuer', `${stateAndCode}&iss=ISSUER%2F`, 'issuer_mismatch'],
  ['a path after the issuer', `${stateAndCode}&iss=ISSUER%2Fevil`, 'issuer_mismatch'],
  ['a query after the issuer', `${stateAndCode}&iss=ISSUER%3Fx`, 'issuer_mismatch'],
  ['a fragment after the issuer', `${stateAndCode}&iss=ISSUER%23`, 'issuer_mismatch'],
  ['a space before the issuer', `${stateAndCode}&iss=+ISSUER`, 'issuer_mismatch'],
  ['a line break after the issuer', `${stateAndCode}&iss=ISSUER%0a`, 'issuer_mismatch'],
  ['the issuer with another scheme', `${stateAndCode}&iss=HTTPSISSUER`, 'issuer_mismatch'],
  ['the issuer encoded twice', `${stateAndCode}&iss=TWICEISSUER`, 'issuer_mismatch'],
  ['the issuer twice', `${stateAndCode}&iss=ISSUER&iss=ISSUER`, 'response_invalid'],
  ['the issuer and another', `${stateAndCode}&iss=ISSUER&iss=https%3A%2F%2Fevil.test`, 'response_invalid'],
  ['the issuer as a member of a list', `${stateAndCode}&iss%5B%5D=ISSUER`, 'issuer_missing'],
  ['the issuer in capitals of the name', `${stateAndCode}&ISS=ISSUER`, 'issuer_missing'],
  [
    'an error of another server',
    'state=STATE&error=access_denied&error_description=Call+us&iss=https%3A%2F%2Fevil.test',
    'issuer_mismatch',
  ],
  ['an error of nobody', 'state=STATE&error=access_denied&error_description=Call+us', 'issuer_missing'],
  ['an error and a code', `${stateAndCode}&error=access_denied&iss=ISSUER`, 'response_invalid'],
  ['neither error nor code', 'state=STATE&iss=ISSUER', 'response_invalid'],
  ['a second code', `${stateAndCode}&code=OTHER&iss=ISSUER`, 'response_invalid'],
  [
    'a second code by another spelling of the name',
    `${stateAndCode}&c%6fde=OTHER&iss=ISSUER`,
    'response_invalid',
  ],
  ['the same code again', `${stateAndCode}&code=CODE&iss=ISSUER`, 'response_invalid'],
  ['a second state', `${stateAndCode}&state=STATE&iss=ISSUER`, 'response_invalid'],
  ['no state', 'code=CODE&iss=ISSUER', 'response_invalid'],
  ['a state that was cut', 'state=STAT&code=CODE&iss=ISSUER', 'response_invalid'],
  ['a state with NUL', 'state=STATE%00&code=CODE&iss=ISSUER', 'response_invalid'],
  ['a code that splits a header', 'state=STATE&code=CODE%0d%0aX%3A+1&iss=ISSUER', 'response_invalid'],
  ['an empty code', 'state=STATE&code=&iss=ISSUER', 'response_invalid'],
  [
    'tokens in place of a code',
    'state=STATE&access_token=CODE&token_type=Bearer&iss=ISSUER',
    'response_invalid',
  ],
  ['an error with escapes', 'state=STATE&error=%1b%5b31m&iss=ISSUER', 'response_invalid'],
  [
    'an error that repeats the state',
    'state=STATE&error=invalid_request&error_description=STATE&iss=ISSUER',
    'refused',
  ],
  [
    'a denial with markup and marks of direction',
    'state=STATE&error=access_denied&error_description=%3Cb%3E%E2%80%AEx&iss=ISSUER',
    'denied',
  ],
];

export const responseAttacks: ResponseAttack[] = rows.map(([name, query, becomes, sendsIssuer]) => ({
  name,
  query,
  becomes,
  ...(sendsIssuer === undefined ? {} : { sendsIssuer }),
}));
