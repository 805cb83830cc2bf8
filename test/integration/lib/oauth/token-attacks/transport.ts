/** Answers that lead elsewhere, never end, are too large, or are no JSON. */
import { gzipSync } from 'node:zlib';
import type { Reply } from '../../../../support/remote-server.ts';
import { deep, drip, endless, hang, hangAfterHeaders, html, json, raw, status } from '../attacks/replies.ts';
import { credentialOf, honestTokens, type TokenAttack } from './attack.ts';

const tokens = JSON.stringify(honestTokens);
/** What leaves the server as it is, beneath HTTP. */
const bytes =
  (text: string): Reply =>
  (request) =>
    request.socket.end(text);

const lettersOf = (body: string): string => credentialOf(body).replaceAll(/\W/g, '');

const redirects: TokenAttack[] = [301, 302, 303, 307, 308].flatMap((code) => [
  {
    name: `a redirect to another server with ${code}`,
    reply: (other: string) => status(code, { location: `${other}/token` }),
    code: 'answer_refused' as const,
    says: 'which is not followed',
  },
  {
    name: `a redirect within the server with ${code}`,
    reply: () => status(code, { location: '/elsewhere' }),
    code: 'answer_refused' as const,
    says: 'redirects to another address of its own',
  },
]);

const slow = (name: string, reply: Reply): TokenAttack => ({
  name,
  reply: () => reply,
  code: 'unreachable',
  says: 'took longer than 1 seconds',
  isTemporary: true,
  isSlow: true,
});

const useless = (name: string, reply: Reply, says: string): TokenAttack => ({
  name,
  reply: () => reply,
  code: 'answer_refused',
  says,
});

export const transportAttacks: TokenAttack[] = [
  ...redirects,
  useless('a redirect to a script', status(302, { location: 'javascript:alert(1)' }), 'not a web address'),
  useless('a redirect to nowhere', status(307), 'not a web address'),
  {
    name: 'a redirect to a host that is named after the code and the token',
    reply: () => (_request, response, body) =>
      response.writeHead(302, { location: `https://${lettersOf(body)}.test/` }).end(),
    code: 'answer_refused',
    says: 'repeats a credential',
  },
  slow('an answer that never begins', hang),
  slow('an answer that ends with its headers', hangAfterHeaders),
  slow('an answer that drips', drip),
  useless('an answer without end', endless('application/json', ' '), 'is larger than 20000 bytes'),
  useless('a refusal without end', endless('application/json', ' ', 400), 'is larger than 20000 bytes'),
  useless(
    'a large token',
    raw(JSON.stringify({ ...honestTokens, access_token: 'x'.repeat(30_000) })),
    'is larger',
  ),
  useless(
    'a compressed bomb',
    (_request, response) =>
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(10_000_000, ' '))),
    'is not JSON',
  ),
  useless(
    'compressed tokens that nobody asked for',
    (_request, response) =>
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(tokens)),
    'is not JSON',
  ),
  useless('deep JSON', raw(deep), 'holds more than 1000 JSON values'),
  useless(
    'a token that is deep JSON',
    raw(`{"access_token":${'['.repeat(100)}${']'.repeat(100)}}`),
    'nested more than 64 deep',
  ),
  useless(
    'many values',
    raw(JSON.stringify(Array.from({ length: 2000 }, () => 0))),
    'more than 1000 JSON values',
  ),
  useless('a page', html, 'answers with text/html where application/json is expected'),
  useless('tokens as a page', raw(tokens, 'text/html'), 'answers with text/html'),
  useless(
    'tokens as a form',
    raw('access_token=a&token_type=bearer', 'application/x-www-form-urlencoded'),
    'answers with application/x-www-form-urlencoded',
  ),
  useless('tokens of a script', raw(tokens, 'application/javascript'), 'answers with application/javascript'),
  useless(
    'tokens of no type',
    (_request, response) => response.writeHead(200).end(tokens),
    'answers with no readable type',
  ),
  useless(
    'a type that repeats the code or the token',
    (_request, response, body) =>
      response.writeHead(200, { 'content-type': `text/${lettersOf(body)}` }).end(),
    'repeats a credential',
  ),
  useless('nothing', raw(''), 'is not JSON'),
  useless('half of the tokens', raw(tokens.slice(0, -10)), 'is not JSON'),
  useless('tokens and more', raw(`${tokens}${tokens}`), 'is not JSON'),
  useless('a text', raw(JSON.stringify(honestTokens.access_token)), 'is not a JSON object'),
  useless('a list of tokens', raw(`[${tokens}]`), 'is not a JSON object'),
  useless('null', raw('null'), 'is not a JSON object'),
  useless(
    'NaN as a lifetime',
    raw('{"access_token":"a","token_type":"Bearer","expires_in":NaN}'),
    'is not JSON',
  ),
  useless(
    'infinity as a lifetime',
    raw('{"access_token":"a","token_type":"Bearer","expires_in":1e999}'),
    'number of seconds',
  ),
  useless(
    'broken UTF-8',
    (_request, response) => response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    'is not JSON',
  ),
  useless('NUL bytes', raw(`\u0000${tokens}`), 'is not JSON'),
  useless(
    'tokens in UTF-16',
    (_request, response) => response.writeHead(200, json).end(Buffer.from(`\ufeff${tokens}`, 'utf16le')),
    'is not JSON',
  ),
  {
    name: 'tokens behind a mark of byte order',
    reply: () => raw(`\ufeff${tokens}`),
    code: null,
    gives: { accessToken: honestTokens.access_token },
  },
  {
    name: 'tokens in a thousand parts',
    reply: () => (_request, response) => {
      response.writeHead(200, json);
      for (const part of tokens.padEnd(1000)) {
        response.write(part);
      }
      response.end();
    },
    code: null,
    gives: { accessToken: honestTokens.access_token },
  },
  ...[202, 204, 206, 304].map(
    (code): TokenAttack => ({
      name: `the status ${code} with tokens`,
      reply: () => (_request, response) => response.writeHead(code, json).end(tokens),
      code: 'answer_refused',
      says: `answered ${code}`,
    }),
  ),
  useless('something that is not HTTP', bytes('SSH-2.0-OpenSSH_9.0\r\n'), 'not HTTP'),
  useless(
    'two lengths',
    bytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    'not HTTP',
  ),
  useless(
    'a length and chunks',
    bytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    'not HTTP',
  ),
  useless(
    'headers without end',
    bytes(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
    'larger than 16 KiB',
  ),
  {
    name: 'a connection that ends before the answer',
    reply: () => (request) => request.socket.destroy(),
    code: 'unreachable',
    says: 'closed the connection',
    isTemporary: true,
  },
  {
    name: 'a connection that ends in the answer',
    reply: () =>
      bytes('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"access'),
    code: 'unreachable',
    isTemporary: true,
  },
];
