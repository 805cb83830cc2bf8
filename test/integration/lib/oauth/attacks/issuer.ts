/** Metadata of hostile authorization servers. */
import { honestIssuer, paths, type Reply } from '../../../../support/remote-server.ts';
import type { Attack } from './attack.ts';
import { endless, hang, html, issuer, many, raw, status, without } from './replies.ts';

const issuerAttack = (
  name: string,
  reply: (origin: string, other: string) => Reply,
  code: string | null,
  says: string,
  more: Partial<Attack> = {},
): Attack => ({
  name: `authorization server metadata that ${name}`,
  replies: (origin, other) => ({ [paths.issuer]: reply(origin, other) }),
  code,
  says,
  ...more,
});

export const issuerAttacks: Attack[] = [
  issuerAttack(
    'is of another issuer',
    (origin, other) => issuer(origin, { issuer: other }),
    'issuer_mismatch',
    'was asked',
  ),
  issuerAttack(
    'has two slashes too many',
    (origin) => issuer(origin, { issuer: `${origin}//` }),
    'issuer_mismatch',
    'spelled alike',
  ),
  issuerAttack(
    'has its issuer in capitals',
    (origin) => issuer(origin, { issuer: origin.toUpperCase() }),
    'issuer_mismatch',
    'spelled alike',
  ),
  issuerAttack(
    'names its issuer twice',
    (origin, other) =>
      raw(JSON.stringify(honestIssuer(origin)).replace(/}$/, `,"issuer":${JSON.stringify(other)}}`)),
    'issuer_mismatch',
    'was asked',
  ),
  {
    name: 'two documents that contradict each other',
    replies: (origin, other) => ({
      [paths.issuer]: issuer(origin, { issuer: other }),
      [paths.openid]: issuer(origin, {}),
    }),
    code: 'issuer_mismatch',
    says: 'was asked',
  },
  issuerAttack(
    'has no PKCE',
    (origin) => without(honestIssuer(origin), 'code_challenge_methods_supported'),
    'pkce_unsupported',
    'is missing',
  ),
  issuerAttack(
    'has plain PKCE',
    (origin) => issuer(origin, { code_challenge_methods_supported: ['plain'] }),
    'pkce_unsupported',
    'lacks "S256"',
  ),
  issuerAttack(
    'has no token endpoint',
    (origin) => without(honestIssuer(origin), 'token_endpoint'),
    'authorization_server_invalid',
    '"token_endpoint" is missing',
  ),
  issuerAttack(
    'opens a script',
    (origin) => issuer(origin, { authorization_endpoint: 'javascript:fetch("/")' }),
    'endpoint_refused',
    '"authorization_endpoint"',
  ),
  issuerAttack(
    'opens data',
    (origin) => issuer(origin, { authorization_endpoint: 'data:text/html,<script>' }),
    'endpoint_refused',
    'begins with https://',
  ),
  issuerAttack(
    'opens a program',
    (origin) => issuer(origin, { authorization_endpoint: 'calculator://run' }),
    'endpoint_refused',
    'begins with https://',
  ),
  issuerAttack(
    'opens the metadata of a cloud',
    (origin) => issuer(origin, { authorization_endpoint: 'https://169.254.169.254/' }),
    'endpoint_refused',
    'never connected to',
  ),
  issuerAttack(
    'takes tokens without TLS',
    (origin) => issuer(origin, { token_endpoint: 'http://issuer.test/token' }),
    'endpoint_refused',
    'is not https',
  ),
  issuerAttack(
    'takes tokens in a private network',
    (origin) => issuer(origin, { token_endpoint: 'https://10.0.0.1/token' }),
    'endpoint_refused',
    'private address',
  ),
  issuerAttack(
    'hides a host behind a backslash',
    (origin) => issuer(origin, { token_endpoint: 'https://issuer.test\\@evil.test/' }),
    'endpoint_refused',
    'begins with https://',
  ),
  issuerAttack(
    'has only the implicit flow',
    (origin) => issuer(origin, { response_types_supported: ['token'] }),
    'feature_unsupported',
    'lacks "code"',
  ),
  issuerAttack(
    'asks for pushed requests',
    (origin) => issuer(origin, { require_pushed_authorization_requests: true }),
    'feature_unsupported',
    'pushed',
  ),
  issuerAttack(
    'says a flag in words',
    (origin) => issuer(origin, { authorization_response_iss_parameter_supported: 'yes' }),
    'authorization_server_invalid',
    'must be true or false',
  ),
  issuerAttack('is a page', () => html, 'authorization_server_missing', 'answers with text/html'),
  issuerAttack(
    'leads elsewhere',
    (_origin, other) => status(302, { location: `${other}/issuer` }),
    'answer_refused',
    'which is not followed',
  ),
  issuerAttack(
    'never ends',
    () => endless('application/json', ' '),
    'answer_refused',
    'is larger than 20000 bytes',
  ),
  issuerAttack('hangs', () => hang, 'unreachable', 'took longer than 2 seconds', {
    isTemporary: true,
    isSlow: true,
  }),
  issuerAttack(
    'holds thousands of values',
    () => raw(many.slice(0, 10_000)),
    'authorization_server_invalid',
    'holds more than 1000 JSON values',
  ),
  issuerAttack('is gone for a moment', () => status(502), 'unreachable', 'answered 502', {
    isTemporary: true,
  }),
  issuerAttack(
    'speaks to the reader',
    (origin) => issuer(origin, { issuer: `x\u202e\u0007 "approved" ${'y'.repeat(1000)}` }),
    'issuer_mismatch',
    "\"x 'approved' yyy",
  ),
];
