/** Refusals that repeat what was sent, pretend, or mislead about what is to be done. */
import type { Reply } from '../../../../support/remote-server.ts';
import { html, json, raw, status } from '../attacks/replies.ts';
import { credentialOf, held, type TokenAttack } from './attack.ts';

const refusing = (
  name: string,
  reply: Reply,
  code: TokenAttack['code'],
  says: string,
  more: Partial<TokenAttack> = {},
): TokenAttack => ({ name, reply: () => reply, code, outcome: 'refused', says, ...more });

/** Answers with what it makes of the request, as servers do that quote what they refuse. */
const echoing =
  (say: (body: string, authorization: string) => object, code = 400): Reply =>
  (request, response, body) =>
    response.writeHead(code, json).end(JSON.stringify(say(body, request.headers.authorization ?? '')));
const left = 'words that are left out because they repeat a credential';

const echoes: [name: string, say: (body: string, authorization: string) => object][] = [
  [
    'the code or token',
    (body) => ({ error: 'invalid_grant', error_description: `bad ${credentialOf(body)}` }),
  ],
  ['all of the request', (body) => ({ error: 'invalid_grant', error_description: body })],
  ['the header', (_body, authorization) => ({ error: 'invalid_grant', error_description: authorization })],
  [
    'the code or token in part',
    (body) => ({ error: 'invalid_grant', error_description: `bad ${credentialOf(body).slice(0, 17)}...` }),
  ],
  [
    'the code or token in capitals',
    (body) => ({ error: 'invalid_grant', error_description: credentialOf(body).toUpperCase() }),
  ],
  [
    'the code or token with invisible characters in it',
    (body) => ({ error: 'invalid_grant', error_description: [...credentialOf(body)].join('\u200b') }),
  ],
  [
    'the code or token with quotes in it',
    (body) => ({ error: 'invalid_grant', error_description: [...credentialOf(body)].join('"') }),
  ],
];

export const refusalAttacks: TokenAttack[] = [
  ...echoes.map(([name, say]) =>
    refusing(`a refusal that repeats ${name}`, echoing(say), 'invalid_grant', left),
  ),
  refusing(
    'a refusal whose error is the code or token',
    echoing((body) => ({ error: credentialOf(body) })),
    'request_refused',
    left,
  ),
  refusing(
    'a refusal that repeats the code or token as the address of a page, which is not read',
    echoing((body) => ({ error: 'invalid_grant', error_uri: `https://evil.test/?${body}` })),
    'invalid_grant',
    'refuses',
  ),
  refusing(
    'a refusal that repeats all in a page',
    (_request, response, body) => response.writeHead(400, { 'content-type': 'text/html' }).end(`<p>${body}`),
    'request_refused',
    'it answered 400',
  ),
  refusing(
    'a failure that repeats all',
    echoing((body) => ({ error: body }), 500),
    'unreachable',
    'answered 500',
    { outcome: 'unknown', isTemporary: true },
  ),
  refusing(
    'a refusal with escapes and marks of direction',
    {
      status: 400,
      json: {
        error: 'invalid_grant',
        error_description: '\u001b]8;;https://evil.test\u0007x\u202e\r\n"approved"',
      },
    },
    'invalid_grant',
    `"invalid_grant", saying "]8;;https://evil.test x 'approved'"; sign in again.`,
  ),
  refusing(
    'a refusal with markup',
    { status: 400, json: { error: 'invalid_grant', error_description: '<img src=x onerror=alert(1)>' } },
    'invalid_grant',
    'saying "<img src=x onerror=alert(1)>"',
  ),
  refusing(
    'a refusal of megabytes',
    { status: 400, json: { error: 'invalid_grant', error_description: 'é'.repeat(9000) } },
    'invalid_grant',
    `${'é'.repeat(200)}…"`,
  ),
  refusing(
    'an error that is a member of all objects',
    { status: 400, json: { error: 'constructor' } },
    'request_refused',
    '"constructor"',
  ),
  refusing(
    'an error behind __proto__',
    raw('{"__proto__":{"error":"invalid_grant"}}'),
    'answer_refused',
    '"access_token" is missing',
    { outcome: 'unknown' },
  ),
  refusing(
    'an error that is a list',
    { status: 400, json: { error: ['invalid_grant'] } },
    'request_refused',
    'answered 400',
  ),
  refusing(
    'a deep refusal',
    { status: 400, json: { error: 'invalid_grant', more: JSON.parse('['.repeat(99) + ']'.repeat(99)) } },
    'request_refused',
    'answered 400',
  ),
  refusing('an error with 200', { json: { error: 'invalid_grant' } }, 'invalid_grant', 'sign in again'),
  refusing(
    'an unknown client with 400',
    { status: 400, json: { error: 'invalid_client' } },
    'invalid_client',
    'has to be registered there again',
  ),
  refusing(
    'an unknown client with 401',
    { status: 401, json: { error: 'invalid_client' }, headers: { 'www-authenticate': 'Basic realm="x"' } },
    'invalid_client',
    'registered there again',
  ),
  refusing(
    'an unknown client with 200',
    { json: { error: 'invalid_client' } },
    'invalid_client',
    'registered there again',
  ),
  refusing(
    'a 401 with a page, which says nothing about the client',
    (_request, response) => response.writeHead(401, { 'content-type': 'text/html' }).end('invalid_client'),
    'request_refused',
    'it answered 401',
  ),
  refusing(
    'a 401 that asks for a password',
    status(401, { 'www-authenticate': 'Basic realm="invalid_client"' }),
    'request_refused',
    'it answered 401',
  ),
  refusing('a 403 with nothing', status(403), 'request_refused', 'it answered 403'),
  refusing(
    'a 404 with a page',
    (_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>'),
    'request_refused',
    'it answered 404',
  ),
  refusing(
    'a resource that it does not know',
    { status: 400, json: { error: 'invalid_target' } },
    'invalid_target',
    'gives no tokens for this MCP server',
  ),
  refusing(
    'scopes that it does not know',
    { status: 400, json: { error: 'invalid_scope' } },
    'invalid_scope',
    'an admin can change the scopes',
  ),
  refusing('too many requests', status(429, { 'retry-after': '999999999' }), 'unreachable', 'answered 429', {
    isTemporary: true,
  }),
  ...[500, 502, 503, 504].map((code) =>
    refusing(`trouble with ${code}`, status(code), 'unreachable', `answered ${code}`, {
      outcome: 'unknown',
      isTemporary: true,
    }),
  ),
  refusing(
    'trouble that claims that the code or token is bad',
    { status: 500, json: { error: 'invalid_grant' } },
    'unreachable',
    'answered 500',
    { outcome: 'unknown', isTemporary: true },
  ),
];

/** What a server that revokes nothing answers to a revocation. */
export const revocationAttacks: TokenAttack[] = [
  ...refusalAttacks.filter(({ code }) => code !== 'answer_refused'),
  ...[301, 302, 303, 307, 308].map(
    (code): TokenAttack => ({
      name: `a redirect with ${code}`,
      reply: (other) => status(code, { location: `${other}/revoke` }),
      code: 'answer_refused',
      says: 'which is not followed',
    }),
  ),
  { name: 'a page that says that all is well', reply: () => html, code: null },
  {
    name: 'an answer that repeats the token',
    reply: () => raw(JSON.stringify({ token: held.refreshToken })),
    code: null,
  },
];
