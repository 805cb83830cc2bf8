/** Protected resource metadata of hostile servers. */
import { honestResource, paths, type Reply } from '../../../../support/remote-server.ts';
import type { Attack } from './attack.ts';
import { deep, drip, endless, html, raw, resource, status, without } from './replies.ts';

const resourceAttack = (
  name: string,
  reply: (origin: string, other: string) => Reply,
  code: string,
  says: string,
  more: Partial<Attack> = {},
): Attack => ({
  name: `resource metadata that ${name}`,
  replies: (origin, other) => ({ [paths.resource]: reply(origin, other) }),
  code,
  says,
  ...more,
});

export const resourceAttacks: Attack[] = [
  resourceAttack(
    'names another server',
    (origin, other) => resource(origin, { resource: `${other}/mcp` }),
    'resource_refused',
    'is on another origin',
  ),
  resourceAttack(
    'names a neighbour',
    (origin) => resource(origin, { resource: `${origin}/mcp-other` }),
    'resource_refused',
    'not a parent path',
  ),
  resourceAttack(
    'names a child',
    (origin) => resource(origin, { resource: `${origin}/mcp/admin` }),
    'resource_refused',
    'not a parent path',
  ),
  resourceAttack(
    'climbs out of its path',
    (origin) => resource(origin, { resource: `${origin}/mcp/../admin` }),
    'resource_refused',
    'in two ways',
  ),
  resourceAttack(
    'climbs out in code',
    (origin) => resource(origin, { resource: `${origin}/%2e%2e/mcp` }),
    'resource_refused',
    'in two ways',
  ),
  resourceAttack(
    'hides another host',
    (origin, other) => resource(origin, { resource: `${origin}@${other.slice(7)}/` }),
    'resource_refused',
    'has a user name',
  ),
  resourceAttack(
    'is a script',
    (origin) => resource(origin, { resource: 'javascript:alert(1)' }),
    'resource_refused',
    'is not a web address',
  ),
  resourceAttack(
    'has no resource',
    (origin) => without(honestResource(origin), 'resource'),
    'resource_metadata_invalid',
    '"resource" is missing',
  ),
  resourceAttack(
    'has no issuer',
    (origin) => without(honestResource(origin), 'authorization_servers'),
    'authorization_server_missing',
    'is missing',
  ),
  resourceAttack(
    'is a page',
    () => html,
    'resource_metadata_missing',
    'answers with text/html where application/json',
  ),
  resourceAttack(
    'is JSON by another name',
    (origin) => raw(JSON.stringify(honestResource(origin)), 'text/plain'),
    'resource_metadata_missing',
    'text/plain',
  ),
  resourceAttack(
    'leads elsewhere',
    (_origin, other) => status(302, { location: `${other}/metadata` }),
    'answer_refused',
    'which is not followed',
  ),
  resourceAttack(
    'leads in a circle',
    (origin) => status(307, { location: `${origin}${paths.resource.slice(4)}` }),
    'answer_refused',
    'redirects more than 3 times',
  ),
  resourceAttack(
    'leads to a file',
    () => status(302, { location: 'file:///etc/passwd' }),
    'answer_refused',
    'not a web address',
  ),
  resourceAttack(
    'never ends',
    () => endless('application/json', ' '),
    'answer_refused',
    'is larger than 20000 bytes',
  ),
  resourceAttack('comes a byte at a time', () => drip, 'unreachable', 'took longer than 2 seconds', {
    isTemporary: true,
    isSlow: true,
  }),
  resourceAttack('is deep', () => raw(deep), 'resource_metadata_invalid', 'holds more than 1000 JSON values'),
  resourceAttack(
    'is deep within the bounds',
    () => raw(`${'['.repeat(100)}${']'.repeat(100)}`),
    'resource_metadata_invalid',
    'nested more than 64 deep',
  ),
  resourceAttack('is not finished', () => raw('{"resource":'), 'resource_metadata_invalid', 'is not JSON'),
  resourceAttack(
    'is compressed though nobody asked',
    (_origin) => raw('\u001f\u008b\b'),
    'resource_metadata_invalid',
    'is not JSON',
  ),
  resourceAttack('is gone for a moment', () => status(500), 'unreachable', 'answered 500', {
    isTemporary: true,
  }),
  resourceAttack(
    'asks for bound tokens',
    (origin) => resource(origin, { dpop_bound_access_tokens_required: true }),
    'feature_unsupported',
    'DPoP',
  ),
  resourceAttack(
    'names a hundred issuers',
    (origin) =>
      resource(origin, {
        authorization_servers: Array.from({ length: 100 }, (_, at) => `${origin}/tenant${at}`),
      }),
    'authorization_server_missing',
    'has no metadata at any of its well-known addresses',
    { maxRequests: 11 },
  ),
  resourceAttack(
    'names a script as issuer',
    (origin) => resource(origin, { authorization_servers: ['javascript:alert(1)'] }),
    'authorization_server_refused',
    'begins with https://',
  ),
  resourceAttack(
    'names a file as issuer',
    (origin) => resource(origin, { authorization_servers: ['file:///etc'] }),
    'authorization_server_refused',
    'begins with https://',
  ),
  resourceAttack(
    'names a private issuer',
    (origin) => resource(origin, { authorization_servers: ['https://127.0.0.1:1'] }),
    'authorization_server_refused',
    'private address',
  ),
  resourceAttack(
    'names a plain issuer',
    (origin) => resource(origin, { authorization_servers: ['http://issuer.test'] }),
    'authorization_server_refused',
    'is not https',
  ),
  resourceAttack(
    'names a cloud as issuer',
    (origin) => resource(origin, { authorization_servers: ['https://169.254.169.254'] }),
    'authorization_server_refused',
    'never connected to',
  ),
  resourceAttack(
    'names an issuer with a query',
    (origin) => resource(origin, { authorization_servers: [`${origin}/?a=b`] }),
    'authorization_server_refused',
    'has a query',
  ),
  resourceAttack(
    'names an issuer with a password',
    (origin) => resource(origin, { authorization_servers: [origin.replace('//', '//a:b@')] }),
    'authorization_server_refused',
    'user name or password',
  ),
  resourceAttack(
    'names an issuer whose path is another host',
    (origin, other) => resource(origin, { authorization_servers: [`${origin}//${other.slice(7)}`] }),
    'authorization_server_missing',
    'has no metadata',
  ),
];
