/** The program against real servers of the revisions of 2025. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import {
  type AgentSide,
  bundleBridge,
  configFor,
  quickLimits,
  spawnBridge,
  startBridge,
  stopBridges,
} from './agent-side.ts';
import { startEarlierToolServer, type ToolServer, type ToolServerOptions } from './tool-servers.ts';

let program: string;
const running: ToolServer[] = [];
beforeAll(() => {
  program = bundleBridge();
});
afterEach(async () => {
  await stopBridges();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const start = async (options: ToolServerOptions = {}) => {
  const server = await startEarlierToolServer(options);
  running.push(server);
  return server;
};
const call = (side: AgentSide, name: string, args: object = {}, meta: object = {}) =>
  side.request('tools/call', { name, arguments: args, _meta: meta });
/** The events after which streams were continued. */
const continued = ({ requests }: ToolServer) =>
  requests.flatMap(({ headers }) => headers['last-event-id'] ?? []);
const textOf = (answer: { result?: Record<string, unknown> }) => JSON.stringify(answer.result?.['content']);

describe.each([
  ['streams', false],
  ['JSON', true],
])('a server that answers with %s', (_what, json) => {
  it('is used through the program, whose end ends the session', async () => {
    const server = await start({ json });
    const side = spawnBridge(program, JSON.stringify(configFor(server)));
    expect(await side.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect((await side.request('tools/list')).result).toMatchObject({ tools: expect.any(Array) });
    expect(textOf(await call(side, 'echo', { text: 'ä\u2028"' }))).toContain('ä\u2028');
    expect(server.openSessions()).toBe(1);
    const later = server.requests.slice(1).filter(({ method }) => method === 'POST');
    expect(later.map(({ headers }) => headers['mcp-protocol-version'])).toEqual(
      later.map(() => '2025-11-25'),
    );
    expect(await side.close()).toEqual({ code: 0 });
    expect(server.openSessions()).toBe(0);
    expect(side.reports).toEqual([]);
  });
});

describe('a server with streams', () => {
  it('sends progress before the result, in its order', async () => {
    const side = startBridge(configFor(await start()));
    await side.initialize();
    await call(side, 'count', { upTo: 50 }, { progressToken: 'p' });
    const messages = side.lines.slice(1).map((line) => JSON.parse(line));
    expect(messages.slice(0, 50).map(({ params }) => params.progress)).toEqual(
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
    expect(messages).toHaveLength(51);
  });

  it('asks the agent, which answers', async () => {
    const side = startBridge(configFor(await start()));
    await side.initialize({ elicitation: {}, sampling: {} });
    const asked = [
      ['ask', 'elicitation/create', { action: 'accept', content: { name: 'Ada' } }, 'accept Ada'],
      [
        'sample',
        'sampling/createMessage',
        { role: 'assistant', model: 'm', content: { type: 'text', text: 'word' } },
        'word',
      ],
      ['ping', 'ping', {}, 'pinged'],
    ] as const;
    for (const [tool, method, result, expected] of asked) {
      const answer = call(side, tool);
      const { id } = await side.message((each) => each['method'] === method, method);
      side.send({ id, result });
      expect(textOf(await answer)).toContain(expected);
    }
  });

  it('reaches the agent on a stream of its own', async () => {
    const server = await start();
    const side = startBridge(configFor(server));
    await side.initialize();
    await eventually(() => expect(server.requests.map(({ method }) => method)).toContain('GET'));
    await call(side, 'announce');
    await side.message((each) => each['method'] === 'notifications/tools/list_changed', 'the announcement');
  });

  it('gives the answer after it ended the stream of the request, which is continued', async () => {
    const server = await start();
    const side = startBridge(configFor(server), { limits: quickLimits });
    await side.initialize();
    const answer = call(side, 'leave');
    await eventually(() => expect(server.events.release).toHaveLength(1));
    await eventually(() => expect(continued(server)).not.toEqual([]));
    server.events.release[0]?.();
    expect(textOf(await answer)).toContain('came back');
  });

  it('gives the answer after all connections broke, when it can continue streams', async () => {
    const server = await start();
    const side = startBridge(configFor(server), { limits: quickLimits });
    await side.initialize();
    const answer = call(side, 'wait', {}, { progressToken: 1 });
    // From then on the bridge knows where the stream is continued.
    await side.message((each) => each['method'] === 'notifications/progress', 'the progress');
    await eventually(() => expect(server.events.release).toHaveLength(1));
    server.cut();
    server.events.release[0]?.();
    expect(textOf(await answer)).toContain('waited');
    expect(server.events.calls).toEqual(['wait']);
  });

  it('that cannot continue streams leaves an error after its connections broke, and its next call works', async () => {
    const server = await start({ forgetsEvents: true });
    const side = startBridge(configFor(server), { limits: quickLimits });
    await side.initialize();
    const answer = call(side, 'wait');
    await eventually(() => expect(server.events.release).toHaveLength(1));
    server.cut();
    expect(await answer).toMatchObject({
      error: {
        code: -32603,
        data: { code: 'server_unavailable' },
        message: expect.stringContaining('closed the connection'),
      },
    });
    expect(textOf(await call(side, 'echo', { text: 'x' }))).toContain('x');
  });

  it('is notified of a cancelled call, after it has the call', async () => {
    const server = await start();
    const side = startBridge(configFor(server));
    await side.initialize();
    side.send({ id: 'c', method: 'tools/call', params: { name: 'wait' } });
    await eventually(() => expect(server.events.calls).toEqual(['wait']));
    side.send({ method: 'notifications/cancelled', params: { requestId: 'c', reason: 'enough' } });
    await eventually(() => expect(server.events.cancelled).toBe(1));
    expect(textOf(await call(side, 'echo', { text: 'x' }))).toContain('x');
    expect(side.lines.some((line) => line.includes('"c"'))).toBe(false);
  });
});

describe('a session that the server has ended', () => {
  it('fails what waits, says so, and ends the program', async () => {
    const server = await start();
    const side = spawnBridge(program, JSON.stringify(configFor(server)));
    await side.initialize();
    side.send({ id: 'w', method: 'tools/call', params: { name: 'wait' } });
    await eventually(() => expect(server.events.calls).toEqual(['wait']));
    server.forgetSessions();
    side.send({ id: 'e', method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } });
    expect(await side.ended).toEqual({ code: 0 });
    const expired = {
      error: { data: { code: 'session_expired' }, message: expect.stringContaining('ended the session') },
    };
    expect(await side.answerTo('w')).toMatchObject(expired);
    expect(await side.answerTo('e')).toMatchObject(expired);
    expect(server.requests.map(({ method }) => method)).not.toContain('DELETE');
  });
});

describe('the end of the program', () => {
  it.each([
    ['by the end of its input', (side: AgentSide) => side.close()],
    ['by SIGTERM', (side: AgentSide) => side.stop()],
  ])('%s does not wait for calls, and ends the session', async (_how, end) => {
    const server = await start();
    const side = spawnBridge(program, JSON.stringify(configFor(server)));
    await side.initialize();
    side.send({ id: 1, method: 'tools/call', params: { name: 'wait' } });
    await eventually(() => expect(server.events.calls).toEqual(['wait']));
    expect(await end(side)).toEqual({ code: 0 });
    expect(server.openSessions()).toBe(0);
  });

  it('does not wait for a server that does not answer', async () => {
    const server = await start({ before: ({ method }) => method === 'DELETE' });
    // Long enough for the request to arrive on a busy machine, and far less than the test may take.
    const side = startBridge(configFor(server), { limits: { ...quickLimits, endSessionMs: 2000 } });
    await side.initialize();
    await side.close();
    expect(server.requests.map(({ method }) => method)).toContain('DELETE');
  });
});
