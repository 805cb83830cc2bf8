/** Streams whose connections break: what is continued, from where, and what ends it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import { type RemoteServer, startRemoteServer } from '../../../support/remote-server.ts';
import { type AgentSide, configFor, quickLimits, startBridge, stopBridges } from './agent-side.ts';

let server: RemoteServer;
beforeEach(async () => {
  server = await startRemoteServer();
});
afterEach(async () => {
  await stopBridges();
  await server.close();
});

const stream = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const message = (content: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...content })}\n\n`;
const answer = message({ id: 'x', result: { is: 'late' } });

type Step = (request: IncomingMessage, response: ServerResponse) => void;
const write =
  (text: string): Step =>
  (_request, response) =>
    response.writeHead(200, stream).write(text);
/** What is sent, and then the end of the connection in the middle of the answer. */
const breakAfter =
  (text: string): Step =>
  (_request, response) =>
    response.writeHead(200, stream).write(text, () => response.destroy());
const end =
  (status: number, headers: Record<string, string> = {}, body = ''): Step =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

/**
 * A session in which the request `x` gets the first step, and each GET with an event's id one of the
 * next, the last of them again.
 */
async function open(
  steps: readonly [Step, ...Step[]],
  limits = quickLimits,
  ownStream: Step = end(405),
): Promise<AgentSide> {
  let at = 0;
  server.change({
    'POST /mcp': (request, response, body) => {
      const { id, method } = JSON.parse(body);
      if (id === 'x') {
        steps[0](request, response);
      } else if (id === undefined) {
        response.writeHead(202).end();
      } else {
        const result = method === 'initialize' ? { protocolVersion: '2025-11-25' } : {};
        response.writeHead(200, { ...json, 'mcp-session-id': 's' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
    },
    'GET /mcp': (request, response) => {
      if (request.headers['last-event-id'] === undefined) {
        ownStream(request, response);
        return;
      }
      at = Math.min(at + 1, steps.length - 1);
      (at === 0 ? end(500) : steps[at])?.(request, response);
    },
    'DELETE /mcp': end(200),
  });
  const side = startBridge(configFor(server), { limits });
  await side.initialize();
  return side;
}

const ask = (side: AgentSide) => {
  side.send({ id: 'x', method: 'tools/call', params: { name: 'x' } });
  return side.answerTo('x');
};
const continuedAfter = () =>
  server.requests.flatMap(({ line, headers }) =>
    line === 'GET /mcp' ? (headers['last-event-id'] ?? []) : [],
  );
const isLate = { result: { is: 'late' } };

describe('the stream of a request', () => {
  it('is continued after the last event, also after connections that brought none', async () => {
    const side = await open([
      breakAfter(`id: 1\ndata:\n\nid: 2\n${message({ method: 'notifications/message' })}`),
      breakAfter(''),
      breakAfter(': nothing new\n\n'),
      breakAfter(`id: 3 ä\n${message({ method: 'notifications/message' })}`),
      write(answer),
    ]);
    expect(await ask(side)).toMatchObject(isLate);
    expect(continuedAfter()).toEqual(['2', '2', '2', Buffer.from('3 ä').toString('latin1')]);
    expect(
      server.requests.every(({ line, headers }) => line === 'POST /mcp' || headers['mcp-session-id'] === 's'),
    ).toBe(true);
  });

  it('is continued when the server ended it, as one that lets its client poll does', async () => {
    const side = await open([
      end(200, stream, 'id: 1\nretry: 5\ndata:\n\n'),
      end(200, stream, 'id: 2\ndata:\n\n'),
      end(200, stream, answer),
    ]);
    expect(await ask(side)).toMatchObject(isLate);
    expect(continuedAfter()).toEqual(['1', '2']);
  });

  it('is opened until a server in trouble recovers', async () => {
    const side = await open([
      breakAfter('id: 1\ndata:\n\n'),
      end(409),
      end(503),
      (request) => request.socket.destroy(),
      end(429),
      write(answer),
    ]);
    expect(await ask(side)).toMatchObject(isLate);
    expect(continuedAfter()).toHaveLength(5);
  });

  it.each<[string, Step, string, RegExp]>([
    ['stays in trouble', end(503), 'server_unavailable', /opens no stream for now \(503\)/],
    ['continues no streams', end(405), 'answer_refused', /ended its stream without an answer/],
    [
      'does not know the event',
      end(400, json, '{"error":{"code":1,"message":"Invalid event"}}'),
      'answer_refused',
      /"Invalid event"/,
    ],
    [
      'answers with a page',
      end(200, { 'content-type': 'text/html' }, '<b>'),
      'answer_refused',
      /text\/html where text\/event-stream/,
    ],
    ['leads elsewhere', end(302, { location: 'http://x.test/' }), 'answer_refused', /redirects to x.test/],
    ['asks for a credential', end(401), 'credential_refused', /asks for a credential/],
    [
      'sends a huge event',
      end(200, stream, `id: 9\n${message({ id: 'x', result: 'x'.repeat(20_000) })}`),
      'answer_refused',
      /larger than 10000 bytes/,
    ],
  ])('ends with an error when the server then %s', async (_what, step, code, text) => {
    const limits = { ...quickLimits, resumeMs: 300, answerBytes: 10_000 };
    const side = await open([breakAfter('id: 1\ndata:\n\n'), step], limits);
    expect(await ask(side)).toMatchObject({
      error: { data: { code }, message: expect.stringMatching(text) },
    });
    expect(await side.request('ping')).toMatchObject({ result: {} });
  });

  it('ends the session with 404', async () => {
    const side = await open([breakAfter('id: 1\ndata:\n\n'), end(404)]);
    expect(await ask(side)).toMatchObject({ error: { data: { code: 'session_expired' } } });
    expect(await side.ended).toEqual({ code: null });
  });

  it.each([
    ['has no ids', ''],
    ['has ids that no header may have', `id: ${'x'.repeat(5000)}\n`],
  ])('that %s is not continued', async (_what, id) => {
    const side = await open([
      breakAfter(`${id}${message({ method: 'notifications/message' })}`),
      write(answer),
    ]);
    expect(await ask(side)).toMatchObject({
      error: {
        data: { code: 'server_unavailable' },
        message: expect.stringMatching(/closed the connection/),
      },
    });
    expect(continuedAfter()).toEqual([]);
  });

  it('is not continued after the request was cancelled', async () => {
    const side = await open([breakAfter('id: 1\ndata:\n\n'), end(503)], {
      ...quickLimits,
      lastReconnectMs: 5,
    });
    side.send({ id: 'x', method: 'tools/call', params: { name: 'x' } });
    await eventually(() => expect(continuedAfter().length).toBeGreaterThan(1));
    side.send({ method: 'notifications/cancelled', params: { requestId: 'x' } });
    await side.request('ping');
    const before = continuedAfter().length;
    await side.request('ping');
    // One may have been on its way.
    expect(continuedAfter().length - before).toBeLessThanOrEqual(1);
    expect(side.lines.some((line) => line.includes('"x"'))).toBe(false);
  });
});

describe("the server's own stream", () => {
  const listChanged = message({ method: 'notifications/tools/list_changed' });
  const opened = () => server.requests.filter(({ line }) => line === 'GET /mcp');

  it('is opened again, and continued where it has ids', async () => {
    let count = 0;
    const own: Step = (request, response) => {
      count += 1;
      (count === 1 ? end(503) : count === 2 ? breakAfter('') : breakAfter(`id: 7\n${listChanged}`))(
        request,
        response,
      );
    };
    const side = await open([end(500), write(listChanged.replace('tools', 'prompts'))], quickLimits, own);
    await side.message(
      (each) => each['method'] === 'notifications/prompts/list_changed',
      'the second change',
    );
    expect(opened().map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      undefined,
      undefined,
      '7',
    ]);
  });

  it('takes no answer to a request', async () => {
    const side = await open(
      [() => undefined],
      quickLimits,
      write(message({ id: 'x', result: { is: 'forged' } }) + listChanged),
    );
    side.send({ id: 'x', method: 'tools/call', params: { name: 'x' } });
    await side.message((each) => each['method'] === 'notifications/tools/list_changed', 'the change');
    expect(side.lines.join()).not.toContain('forged');
    expect(side.reports).toEqual([expect.stringMatching(/not of this stream; it is dropped/)]);
  });

  it('that a server does not have is asked for once', async () => {
    const side = await open([end(500)]);
    await eventually(() => expect(opened()).toHaveLength(1));
    await side.request('ping');
    expect(opened()).toHaveLength(1);
    expect(side.reports).toEqual([]);
  });

  it('ends the session with 404, also when nobody asks for anything', async () => {
    const side = await open([end(500)], quickLimits, end(404));
    expect(await side.ended).toEqual({ code: null });
    expect(side.reports).toEqual([expect.stringMatching(/has ended the session/)]);
  });

  it('is ended quietly with the bridge', async () => {
    const side = await open([end(500)], quickLimits, write(': here\n\n'));
    await eventually(() => expect(opened()).toHaveLength(1));
    await side.close();
    expect(side.reports).toEqual([]);
    expect(server.requests.at(-1)?.line).toBe('DELETE /mcp');
  });
});

describe('the order of what the agent sends', () => {
  it('has no notification before a request that takes longer to send', async () => {
    const seen: string[] = [];
    server.change({
      'POST /mcp': (_request, response, body) => {
        const { id, method } = JSON.parse(body);
        seen.push(method);
        response.writeHead(id === undefined ? 202 : 200, json);
        response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      },
    });
    const host = `slow.test:${new URL(server.url).port}`;
    let lookups = 0;
    const resolveName = async () => {
      lookups += 1;
      await sleep(lookups === 1 ? 100 : 0);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const side = startBridge(configFor({ url: `http://${host}/mcp`, host }), { resolveName });
    side.send({ id: 1, method: 'tools/call' });
    side.send({ method: 'notifications/progress' });
    side.send({ id: 2, method: 'ping' });
    await side.answerTo(2);
    expect(seen).toEqual(['tools/call', 'notifications/progress', 'ping']);
  });

  it('is kept for notifications: none overtakes a request, and nothing overtakes one', async () => {
    const seen: string[] = [];
    server.change({
      'POST /mcp': (_request, response, body) => {
        const { id, method } = JSON.parse(body);
        seen.push(method);
        // A request that follows would come now.
        setTimeout(() => {
          response.writeHead(id === undefined ? 202 : 200, json);
          response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
        }, 30);
      },
    });
    const side = startBridge(configFor(server));
    const methods = Array.from({ length: 12 }, (_, at) =>
      at % 3 === 0 ? `request/${at}` : `notifications/${at}`,
    );
    for (const [at, method] of methods.entries()) {
      side.send(at % 3 === 0 ? { id: at, method } : { method });
    }
    await side.answerTo(9);
    await eventually(() => expect(seen).toHaveLength(12));
    expect(seen).toEqual(methods);
  });

  it('does not make later messages wait for a notification that is not answered', async () => {
    server.change({
      'POST /mcp': (_request, response, body) => {
        const { id } = JSON.parse(body);
        if (id !== undefined) {
          response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
        }
      },
    });
    const side = startBridge(configFor(server), { limits: { ...quickLimits, notificationMs: 50 } });
    side.send({ method: 'notifications/roots/list_changed' });
    expect(await side.request('ping')).toMatchObject({ result: {} });
  });

  it('does not delay the end by a notification that is not answered', async () => {
    server.change({ 'POST /mcp': () => undefined });
    const side = startBridge(configFor(server));
    side.send({ method: 'notifications/roots/list_changed' });
    await eventually(() => expect(server.requests).toHaveLength(1));
    await side.stop();
  });
});
