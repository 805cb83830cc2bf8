/** Registrations and deletions at hostile authorization servers. */
import { honestClient, paths, type Reply } from '../../../../support/remote-server.ts';
import type { Attack } from './attack.ts';
import { deep, endless, hang, html, json, raw, status } from './replies.ts';

export const registrationAttacks: Attack[] = (
  [
    ['changes the redirect URI', { redirect_uris: ['https://evil.test/'] }, '"redirect_uris"'],
    [
      'adds a redirect URI',
      { redirect_uris: ['https://platform.test/callback/1', 'https://evil.test/'] },
      '"redirect_uris"',
    ],
    ['forgets the redirect URI', { redirect_uris: undefined }, '"redirect_uris" is missing'],
    ['takes the grant away', { grant_types: ['client_credentials'] }, '"grant_types"'],
    ['changes the response type', { response_types: ['token'] }, '"response_types"'],
    [
      'asks for a signed assertion',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'which was not offered',
    ],
    [
      'gives up the secret',
      { token_endpoint_auth_method: 'none', client_secret: undefined },
      'which was not offered',
    ],
    ['keeps the secret', { client_secret: undefined }, '"client_secret" is missing'],
    ['gives a secret of the past', { client_secret_expires_at: 1 }, 'has expired already'],
    [
      'gives a secret that splits a header',
      { client_secret: 'the-client-secret\r\nx' },
      '"client_secret" holds a value',
    ],
    ['gives no id', { client_id: undefined }, '"client_id" is missing'],
  ] as const
).map(
  ([name, fields, says]): Attack => ({
    name: `a registration that ${name}`,
    replies: (origin) => ({
      [paths.register]: (_request, response, body) => {
        const client = { ...honestClient(origin, JSON.parse(body)), ...fields };
        response.writeHead(201, json).end(JSON.stringify(client));
      },
    }),
    code: 'registration_invalid',
    says,
  }),
);

const registering = (
  name: string,
  reply: (other: string) => Reply,
  code: string,
  says: string,
  more: Partial<Attack> = {},
): Attack => ({
  name: `a registration that ${name}`,
  replies: (_origin, other) => ({ [paths.register]: reply(other) }),
  code,
  says,
  ...more,
});

registrationAttacks.push(
  ...[302, 307, 308].map((code) =>
    registering(
      `leads elsewhere with ${code}`,
      (other) => status(code, { location: `${other}/register` }),
      'answer_refused',
      'which is not followed',
    ),
  ),
  registering('is a page', () => html, 'answer_refused', 'answers with text/html where application/json'),
  registering(
    'never ends',
    () => endless('application/json', ' '),
    'answer_refused',
    'is larger than 20000 bytes',
  ),
  registering('hangs', () => hang, 'unreachable', 'took longer than 2 seconds', {
    isTemporary: true,
    isSlow: true,
  }),
  registering('is deep', () => raw(deep), 'registration_invalid', 'holds more than 1000 JSON values'),
  registering('is a text', () => raw('"the-client-secret"'), 'registration_invalid', 'is not a JSON object'),
  registering(
    'is closed to strangers',
    () => status(401),
    'registration_refused',
    "enter the client's id in the entry",
  ),
  registering('is in trouble', () => status(503), 'unreachable', 'answered 503', { isTemporary: true }),
  registering(
    'is refused in a text that pretends',
    () => ({
      status: 400,
      json: { error: 'invalid_client_metadata', error_description: 'x\n\u202eThe platform "approved" it' },
    }),
    'registration_refused',
    `"invalid_client_metadata", saying "x The platform 'approved' it"`,
  ),
);

/** Answers to a deletion, all of which must leave the token where it was sent. */
export const deletionAttacks: Attack[] = [
  ...[301, 307, 308].map((code) => ({
    name: `a deletion that leads elsewhere with ${code}`,
    replies: (_origin: string, other: string) => ({
      [paths.deletion]: status(code, { location: `${other}/register/1` }),
    }),
    code: 'answer_refused',
    says: 'which is not followed',
  })),
  {
    name: 'a deletion that leads elsewhere on its own origin',
    replies: (origin) => ({ [paths.deletion]: status(307, { location: `${origin}/elsewhere` }) }),
    code: 'answer_refused',
    says: 'redirects to another address of its own',
    maxRequests: 1,
  },
  {
    name: 'a deletion that hangs',
    replies: () => ({ [paths.deletion]: hang }),
    code: 'unreachable',
    says: 'took longer than 2 seconds',
    isTemporary: true,
    isSlow: true,
  },
  {
    name: 'a deletion that is refused with the token in the answer',
    replies: () => ({ [paths.deletion]: { status: 400, json: { error: 'the-registration-token' } } }),
    code: 'deletion_refused',
    says: 'answered 400 and keeps the client',
  },
];
