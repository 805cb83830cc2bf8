/**
 * Servers that answer with what no server should, each with one readable outcome, after
 * which the bridge goes on.
 */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../../support/certificate.ts';
import { eventually } from '../../../support/eventually.ts';
import { chooseTestPort } from '../../../support/free-port.ts';
import { type RemoteServer, type Reply, startRemoteServer } from '../../../support/remote-server.ts';
import { type AgentSide, configFor, quickLimits, startBridge, stopBridges } from './agent-side.ts';

let server: RemoteServer;
let other: RemoteServer;
beforeEach(async () => {
  [server, other] = await Promise.all([startRemoteServer(), startRemoteServer()]);
});
afterEach(async () => {
  await stopBridges();
  await Promise.all([server.close(), other.close()]);
});

const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };
const event = (message: object, more = '') =>
  `${more}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
/** The first request of a test has the id 1. */
const answerWith = (reply: Reply) => server.change({ 'POST /mcp': reply });
const raw =
  (status: number, headers: Record<string, string>, body: string | Buffer): Reply =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Each later request is answered, whatever happened to the first. */
async function outcomeOf(side: AgentSide): Promise<{ code: string; message: string }> {
  const answer = await side.request('ping');
  expect(answer.error?.code).toBe(-32603);
  answerWith((_request, response, body) => {
    response
      .writeHead(200, json)
      .end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: {} }));
  });
  expect(await side.request('ping')).toMatchObject({ result: {} });
  return { code: answer.error?.data?.code ?? '', message: answer.error?.message ?? '' };
}

const small = { ...quickLimits, answerBytes: 10_000 };
/** Long enough for an answer that does come. */
const silenceMs = 1000;

describe('an answer that is none', () => {
  it.each<[string, Reply, string, RegExp]>([
    [
      'a page',
      raw(200, { 'content-type': 'text/html' }, '<b>Bearer secret</b>'),
      'answer_refused',
      /answers with text\/html where/,
    ],
    [
      'a page with an error',
      raw(500, { 'content-type': 'text/html' }, '<b>x</b>'),
      'server_unavailable',
      /failed \(500\); whether/,
    ],
    ['nothing', raw(202, {}, ''), 'answer_refused', /gives no answer to it \(202\)/],
    ['no type', raw(200, {}, '{}'), 'answer_refused', /gives no answer to it \(200\)/],
    ['broken JSON', raw(200, json, '{"jsonrpc":'), 'answer_refused', /no JSON-RPC message/],
    ['a number', raw(200, json, '7'), 'answer_refused', /no JSON-RPC message/],
    ['no messages', raw(200, json, '[]'), 'answer_refused', /no JSON-RPC message/],
    [
      'bytes that are no text',
      raw(200, json, Buffer.from([0x7b, 0xff, 0x7d])),
      'answer_refused',
      /not UTF-8/,
    ],
    ['compressed', raw(200, { ...json, 'content-encoding': 'gzip' }, 'x'), 'answer_refused', /compressed/],
    [
      'a compressed stream',
      raw(200, { ...stream, 'content-encoding': 'br' }, 'x'),
      'answer_refused',
      /compressed/,
    ],
    [
      'another id',
      raw(200, json, '{"jsonrpc":"2.0","id":2,"result":{}}'),
      'answer_refused',
      /another request/,
    ],
    [
      'the id as text',
      raw(200, json, '{"jsonrpc":"2.0","id":"1","result":{}}'),
      'answer_refused',
      /another request/,
    ],
    [
      'an error without an id',
      raw(200, json, '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"Who\\nare you?"}}'),
      'answer_refused',
      /: "Who are you\?"$/,
    ],
    [
      'another id on a stream',
      raw(200, stream, event({ id: 9, result: {} })),
      'answer_refused',
      /ended its stream without an answer/,
    ],
    [
      'events that are no messages',
      raw(200, stream, 'data: x\n\nevent: other\ndata: {}\n\ndata: [1]\n\n'),
      'answer_refused',
      /ended its stream/,
    ],
    [
      'an event that does not end',
      raw(200, stream, 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n'),
      'answer_refused',
      /ended its stream/,
    ],
    [
      'a stream that is no text',
      raw(200, stream, Buffer.from([0x64, 0xff, 0x0a, 0x0a])),
      'answer_refused',
      /not UTF-8/,
    ],
    [
      'huge JSON',
      raw(200, json, `{"jsonrpc":"2.0","id":1,"result":{"x":"${'y'.repeat(10_000)}"}}`),
      'answer_refused',
      /larger than 10000 bytes/,
    ],
    [
      'a huge event',
      raw(200, stream, event({ id: 1, result: { x: 'ä'.repeat(5000) } }, 'id: 1\n')),
      'answer_refused',
      /larger than 10000 bytes/,
    ],
    [
      'a huge event in many lines',
      raw(200, stream, 'data: x\n'.repeat(20_000)),
      'answer_refused',
      /larger than 10000 bytes/,
    ],
    [
      'huge headers',
      raw(200, { ...json, x: 'y'.repeat(20_000) }, '{}'),
      'answer_refused',
      /headers that are larger than 16 KiB/,
    ],
    [
      'a session id with a space',
      raw(200, { ...json, 'mcp-session-id': 'a b' }, '{}'),
      'answer_refused',
      /an id that no header may have/,
    ],
    [
      'a session id that is too long',
      raw(200, { ...json, 'mcp-session-id': 'y'.repeat(8193) }, '{}'),
      'answer_refused',
      /an id of more than 8192 characters, which is the limit/,
    ],
    [
      'no answer behind a long session id that is none too long',
      raw(200, { ...json, 'mcp-session-id': 'y'.repeat(8192) }, '[]'),
      'answer_refused',
      /no JSON-RPC message/,
    ],
    ['404', raw(404, json, '{}'), 'answer_refused', /no MCP endpoint at this address \(404\)/],
    ['405', raw(405, {}, ''), 'answer_refused', /no MCP endpoint at this address \(405\)/],
    ['429', raw(429, {}, ''), 'server_unavailable', /no more requests for now \(429\); try again later/],
    ['503', raw(503, {}, ''), 'server_unavailable', /failed \(503\)/],
    [
      '401',
      raw(401, {}, ''),
      'credential_refused',
      /asks for a credential \(401\), and its catalog entry has none/,
    ],
    ['403', raw(403, {}, ''), 'credential_refused', /asks for a credential \(403\)/],
    ['no HTTP', (request) => request.socket.end('SSH-2.0\r\n'), 'answer_refused', /not HTTP/],
    [
      'the end of the connection',
      (request) => request.socket.destroy(),
      'server_unavailable',
      /closed the connection/,
    ],
    ['silence', () => undefined, 'timed_out', /sent no answer for 1 seconds/],
    [
      'a stream that falls silent',
      (_request, response) => response.writeHead(200, stream).write(':\n'),
      'timed_out',
      /sent nothing for 1 seconds/,
    ],
    ['JSON that does not end', (_request, response) => drip(response), 'timed_out', /longer than 1 seconds/],
  ])('%s', async (_what, reply, code, message) => {
    const limits = code === 'timed_out' ? { ...small, silenceMs } : small;
    const side = startBridge(configFor(server), { limits });
    answerWith(reply);
    const outcome = await outcomeOf(side);
    expect(outcome).toEqual({ code, message: expect.stringMatching(message) });
    expect(outcome.message).not.toMatch(/secret|[<>\n]/);
    expect(server.requests.filter(({ line }) => line === 'POST /mcp')).toHaveLength(2);
  });
});

/** A byte now and then, which is no silence. */
function drip(response: ServerResponse): void {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is refused, and only its host named', async (status) => {
    const side = startBridge(
      configFor(server, { private_hosts: { [server.host]: 'http', [other.host]: 'http' } }),
      {
        credential: { headers: { authorization: 'Bearer secret' }, secrets: ['secret'] },
      },
    );
    answerWith(raw(status, { location: `${other.origin}/steal?<b>` }, ''));
    expect(await outcomeOf(side)).toEqual({
      code: 'answer_refused',
      message: `${server.host} redirects to ${other.host}, which is not followed`,
    });
    expect(other.requests).toEqual([]);
  });

  it.each([
    ['its own address', '/other', /another address of its own/],
    ['its own address with a slash', '/mcp/', /the same address with a slash at its end/],
    ['no address of the web', 'file:///etc/passwd', /not a web address/],
  ])('to %s is refused, too', async (_where, location, message) => {
    const side = startBridge(configFor(server));
    answerWith(raw(307, { location }, ''));
    expect((await outcomeOf(side)).message).toMatch(message);
    expect(server.requests).toHaveLength(2);
  });
});

describe('an address', () => {
  const refusal = async (url: string, options: Parameters<typeof startBridge>[1] = {}, hosts = {}) => {
    const side = startBridge(configFor({ url, host: 'listed.test' }, { private_hosts: hosts }), options);
    return (await side.request('ping')).error;
  };
  const refused = { data: { code: 'address_refused' } };

  it('that is private passes only when it is listed', async () => {
    expect(await refusal(server.url.replace('http:', 'https:'))).toMatchObject({
      ...refused,
      message: expect.stringMatching(/private address and is not asked; PRIVATE_MCP_HOSTS/),
    });
    expect(await refusal(server.url)).toMatchObject({
      ...refused,
      message: expect.stringMatching(/over https only/),
    });
    expect(server.requests).toEqual([]);
  });

  it('that a name resolves to is checked, when it changes, too', async () => {
    let asked = 0;
    const resolveName = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    const { port } = new URL(server.url);
    const named = `rebound.test:${port}`;
    expect(await refusal(`https://${named}/mcp`, { resolveName })).toMatchObject(refused);
    expect(
      await refusal(
        `http://${named}/mcp`,
        { resolveName: async () => [{ address: '169.254.169.254', family: 4 }] },
        { [named]: 'http' },
      ),
    ).toMatchObject({
      ...refused,
      message: expect.stringMatching(/never connected to/),
    });
    expect(server.requests).toEqual([]);
  });

  it('that nobody listens at is named, or asked again when somebody does in time', async () => {
    const port = await chooseTestPort();
    const host = `127.0.0.1:${port}`;
    const ask = () => refusal(`http://${host}/mcp`, {}, { [host]: 'http' });
    expect(await ask()).toMatchObject({
      data: { code: 'server_unavailable' },
      message: expect.stringMatching(/refuses the connection/),
    });
    const asked = ask();
    await sleep(100);
    const late = createServer((_request, response) => {
      response.writeHead(200, json).end('{"jsonrpc":"2.0","id":1,"result":{}}');
    }).listen(port, '127.0.0.1');
    expect(await asked).toBe(undefined);
    late.close();
  });

  it('with a certificate of an unknown authority is refused', async () => {
    const { key, certificate } = makeCertificate('127.0.0.1');
    const tls = await startRemoteServer({ key, cert: certificate });
    try {
      expect(await refusal(tls.url, {}, { [tls.host]: 'https' })).toMatchObject({
        data: { code: 'server_unavailable' },
        message: expect.stringMatching(/certificate that is not trusted/),
      });
    } finally {
      await tls.close();
    }
  });
});

describe('a server that goes on and on', () => {
  it('is read only as fast as the agent reads', async () => {
    let written = 0;
    answerWith((_request, response) => {
      response.writeHead(200, stream);
      const message = event({ method: 'notifications/message', params: { data: 'x'.repeat(1000) } });
      const more = () => {
        while (!response.destroyed && response.write(message)) {
          written += 1;
        }
      };
      response.on('drain', more);
      more();
    });
    const side = startBridge(configFor(server));
    side.pause();
    side.send({ id: 1, method: 'ping' });
    // All buffers on the way are full.
    let before = -1;
    await eventually(
      () => {
        const [last, now] = [before, written];
        before = now;
        expect(now).toBeGreaterThan(0);
        expect(now).toBe(last);
      },
      { everyMs: 200 },
    );
    expect(side.unread).toBeLessThan(100_000);
    side.resume();
    await eventually(() => expect(written).toBeGreaterThan(before));
  });

  it('sends nothing more to the agent after the answer', async () => {
    let isClosed = false;
    answerWith((_request, response) => {
      response.once('close', () => {
        isClosed = true;
      });
      response
        .writeHead(200, stream)
        .write(event({ id: 1, result: {} }) + event({ method: 'notifications/message' }));
    });
    const side = startBridge(configFor(server));
    expect(await side.request('ping')).toMatchObject({ result: {} });
    await eventually(() => expect(isClosed).toBe(true));
    expect(side.lines).toHaveLength(1);
  });

  it('that speaks now and then is not silent', async () => {
    answerWith((_request, response) => {
      response.writeHead(200, stream);
      let count = 0;
      const timer = setInterval(() => {
        count += 1;
        response.write(count < 12 ? ': here\n\n' : event({ id: 1, result: {} }));
      }, 150);
      response.once('close', () => clearInterval(timer));
    });
    const limits = { ...quickLimits, silenceMs: 1500 };
    const side = startBridge(configFor(server), { limits });
    expect(await side.request('ping')).toMatchObject({ result: {} });
  });

  it('opens its own stream again and again with growing delays', async () => {
    answerWith((_request, response, body) => {
      const { id } = JSON.parse(body);
      response.writeHead(id === undefined ? 202 : 200, json);
      response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
    server.change({ 'GET /mcp': raw(200, stream, 'retry: 0\n\n') });
    const limits = { ...quickLimits, firstReconnectMs: 20, lastReconnectMs: 60_000 };
    const side = startBridge(configFor(server), { limits });
    await side.initialize();
    const opened = () => server.requests.filter(({ line }) => line === 'GET /mcp').length;
    await eventually(() => expect(opened()).toBeGreaterThan(3));
    const before = opened();
    const startedMs = performance.now();
    await eventually(() => expect(opened()).toBeGreaterThan(before + 1));
    // The two delays after the fourth connection are at least as long as the fourth: 20, 40, 80, then 160.
    expect(performance.now() - startedMs).toBeGreaterThan(100);
    expect(await side.request('ping')).toMatchObject({ result: {} });
  });
});
