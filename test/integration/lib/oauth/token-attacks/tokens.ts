/** Answers with tokens that are none, or are more than was asked for. */
import { raw } from '../attacks/replies.ts';
import { held, honestTokens, type TokenAttack } from './attack.ts';

const refused: [name: string, fields: object, says: string][] = [
  ['no access token', { access_token: undefined }, '"access_token" is missing'],
  ['an empty access token', { access_token: '' }, '"access_token" holds a value'],
  ['a list of access tokens', { access_token: [honestTokens.access_token] }, 'must be a text'],
  ['an access token that is a number', { access_token: 7 }, 'must be a text'],
  ['an access token that splits a header', { access_token: 'a\r\nX-Admin: 1' }, 'characters of a token'],
  ['an access token with a space', { access_token: 'a, Basic b' }, 'characters of a token'],
  ['an access token beyond ASCII', { access_token: 'tök\u202een' }, 'characters of a token'],
  ['an access token with NUL', { access_token: 'a\u0000b' }, 'characters of a token'],
  ['a refresh token that splits a header', { refresh_token: 'a\r\nb' }, 'characters of a token'],
  ['a refresh token that is an object', { refresh_token: { a: 1 } }, 'must be a text'],
  ['the type mac', { token_type: 'mac' }, 'must be "Bearer"'],
  ['the type DPoP', { token_type: 'DPoP' }, 'must be "Bearer"'],
  ['the type of a list', { token_type: ['Bearer'] }, 'must be "Bearer"'],
  ['no type', { token_type: undefined }, '"token_type" is missing'],
  [
    'a type that repeats the code and the token',
    { token_type: Object.values(held).join() },
    'must be "Bearer"',
  ],
  ['a negative lifetime', { expires_in: -3600 }, 'must not be negative'],
  ['a lifetime in words', { expires_in: 'NaN' }, 'must be a number of seconds'],
  [
    'a lifetime that repeats the code and the token',
    { expires_in: Object.values(held).join() },
    'of seconds',
  ],
  ['scopes with controls', { scope: 'notes.read\u0000\u001b[31m' }, 'characters of scopes'],
  ['scopes that repeat the code and the token', { scope: `"${Object.values(held).join()}` }, 'of scopes'],
  ['scopes in a list', { scope: ['notes.read'] }, 'must be a text'],
  [
    'thousands of scopes',
    {
      scope:
        's1 s2 '.repeat(10) +
        [...'0123456789'].flatMap((a) => [...'0123456789'].map((b) => `x${a}${b}`)).join(' '),
    },
    'at most 100 scopes',
  ],
];

const accepted: [name: string, fields: object, gives: TokenAttack['gives']][] = [
  ['a lifetime of ages, which is cut', { expires_in: 1e308 }, { accessToken: honestTokens.access_token }],
  ['another type of letters', { token_type: 'BEARER' }, { tokenType: 'Bearer' }],
  [
    'more scopes than were asked for, which are told',
    { scope: 'notes.read admin' },
    { scopes: ['notes.read', 'admin'] },
  ],
  [
    'another issuer, resource and endpoint, which are ignored',
    {
      iss: 'https://evil.test',
      issuer: 'https://evil.test',
      resource: 'https://evil.test/mcp',
      token_endpoint: 'https://evil.test/token',
    },
    { accessToken: honestTokens.access_token },
  ],
  [
    'an id_token of nobody, which is ignored',
    { id_token: 'e30.e30.' },
    { accessToken: honestTokens.access_token },
  ],
];

export const tokenAttacks: TokenAttack[] = [
  ...refused.map(
    ([name, fields, says]): TokenAttack => ({
      name: `tokens with ${name}`,
      reply: () => ({ json: { ...honestTokens, ...fields } }),
      code: 'answer_refused',
      says,
    }),
  ),
  ...accepted.map(
    ([name, fields, gives]): TokenAttack => ({
      name: `tokens with ${name}`,
      reply: () => ({ json: { ...honestTokens, ...fields } }),
      code: null,
      ...(gives === undefined ? {} : { gives }),
    }),
  ),
  {
    name: 'tokens behind __proto__',
    reply: () => raw(`{"__proto__":${JSON.stringify(honestTokens)}}`),
    code: 'answer_refused',
    says: '"access_token" is missing',
  },
  {
    name: 'tokens with members twice, of which the last counts',
    reply: () =>
      raw(`{"access_token":"first","access_token":"last","token_type":"mac","token_type":"Bearer"}`),
    code: null,
    gives: { accessToken: 'last' },
  },
  {
    name: 'tokens and an error at once',
    reply: () => ({ json: { ...honestTokens, error: 'invalid_grant' } }),
    code: 'answer_refused',
    says: 'both tokens and an error',
  },
];
