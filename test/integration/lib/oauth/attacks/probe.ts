/** What is at an address that is no MCP server, or one that misleads. */
import { paths, type Reply } from '../../../../support/remote-server.ts';
import type { Attack } from './attack.ts';
import { deep, drip, endless, hang, hangAfterHeaders, html, many, raw, resource, status } from './replies.ts';

const probeAttack = (
  name: string,
  reply: Reply,
  code: string | null,
  says: string,
  more: Partial<Attack> = {},
): Attack => ({
  name: `a server that ${name}`,
  replies: () => ({ [paths.mcp]: reply }),
  code,
  says,
  ...more,
});

const aside = 'not_an_mcp_server';
export const probeAttacks: Attack[] = [
  probeAttack('answers with a web page', html, aside, 'answers with a web page (200)'),
  probeAttack('has nothing there', status(404), aside, 'has nothing at this address (404)'),
  probeAttack('accepts no POST', status(405), aside, 'accepts no POST'),
  probeAttack('answers with nothing', status(202), aside, 'gives no answer to a request (202)'),
  probeAttack('hangs', hang, aside, 'took longer than 2 seconds', { isTemporary: true, isSlow: true }),
  probeAttack('hangs after its headers', hangAfterHeaders, aside, 'took longer than 2 seconds', {
    isTemporary: true,
    isSlow: true,
  }),
  probeAttack('sends a byte at a time', drip, aside, 'took longer than 2 seconds', {
    isTemporary: true,
    isSlow: true,
  }),
  probeAttack('never ends', endless('application/json', ' '), aside, 'is larger than 20000 bytes'),
  probeAttack(
    'streams other events for ever',
    endless('text/event-stream', ': x\n\n'),
    aside,
    'is larger than',
  ),
  probeAttack(
    'ends its stream without an answer',
    raw('data: {"a":1}\n\n', 'text/event-stream'),
    aside,
    'other than',
  ),
  probeAttack('answers in many values', raw(many.slice(0, 19_000)), aside, 'other than a response of MCP'),
  probeAttack('answers in deep values', raw(deep), aside, 'other than a response of MCP'),
  probeAttack('answers half a document', raw('{"jsonrpc":"2.0","id":1,"result":{'), aside, 'other than'),
  probeAttack('answers another question', raw('{"jsonrpc":"2.0","id":7,"result":{}}'), aside, 'other than'),
  probeAttack('hangs up', (request) => request.socket.destroy(), 'unreachable', 'closed the connection', {
    isTemporary: true,
  }),
  probeAttack(
    'speaks no HTTP',
    (request) => request.socket.end('SSH-2.0-x\r\n\r\n'),
    aside,
    'something that is not HTTP',
  ),
  probeAttack(
    'changes the protocol',
    (request) =>
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    aside,
    'is this the address of an MCP endpoint?',
  ),
  probeAttack('is in trouble', status(503), 'unreachable', 'answered 503', { isTemporary: true }),
  probeAttack(
    'takes a password',
    status(401, { 'www-authenticate': 'Basic realm="x"' }),
    'static_key',
    'static key',
  ),
  probeAttack('forbids it', status(403), 'static_key', 'answered 403'),
  probeAttack(
    'asks for a scope with a line break',
    status(401, { 'www-authenticate': 'Bearer scope="a\\"b"' }),
    'challenge_invalid',
    'asks for the scope',
  ),
  ...[301, 302, 303, 307, 308].map((code) => ({
    name: `a server that redirects the question with ${code}`,
    replies: (_origin: string, other: string) => ({
      [paths.mcp]: status(code, { location: `${other}/mcp` }),
    }),
    code: aside,
    says: 'enter the address that it redirects to',
  })),
  {
    name: 'a challenge with a body that never ends',
    replies: () => ({ [paths.mcp]: endless('application/json', ' ', 401, { 'www-authenticate': 'Bearer' }) }),
    code: null,
  },
  {
    name: 'a challenge whose metadata is on another origin',
    replies: (origin, other) => ({
      [paths.mcp]: status(401, { 'www-authenticate': `Bearer resource_metadata="${other}/metadata"` }),
      [paths.resource]: resource(origin, {}),
    }),
    code: null,
  },
  {
    name: 'a challenge whose metadata is only on another origin',
    replies: (_origin, other) => ({
      [paths.mcp]: status(401, { 'www-authenticate': `Bearer resource_metadata="${other}/metadata"` }),
      [paths.resource]: status(404),
    }),
    code: 'resource_metadata_missing',
    says: 'is passed over because it is on another origin',
  },
  {
    name: 'a challenge without metadata anywhere',
    replies: () => ({
      [paths.mcp]: status(401, { 'www-authenticate': 'Bearer' }),
      [paths.resource]: status(404),
    }),
    code: 'resource_metadata_missing',
    says: 'has no protected resource metadata (RFC 9728)',
  },
  {
    name: 'a server that says nothing of how to sign in',
    replies: () => ({ [paths.mcp]: status(401), [paths.resource]: status(404) }),
    code: 'static_key',
    says: 'probably takes a static key',
  },
];
