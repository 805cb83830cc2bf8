/** The program against real servers of revision 2026-07-28. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import { startRemoteServer } from '../../../support/remote-server.ts';
import {
  type AgentSide,
  bundleBridge,
  configFor,
  spawnBridge,
  startBridge,
  stopBridges,
} from './agent-side.ts';
import { startModernToolServer } from './tool-servers.ts';

let program: string;
type Server = Awaited<ReturnType<typeof startModernToolServer>>;
const running: Pick<Server, 'close'>[] = [];
beforeAll(() => {
  program = bundleBridge();
});
afterEach(async () => {
  await stopBridges();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const start = async (options: Parameters<typeof startModernToolServer>[0] = {}) => {
  const server = await startModernToolServer(options);
  running.push(server);
  return server;
};
const metaWith = (more: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
});
const ask = (side: AgentSide, method: string, params: object = {}, meta: object = {}) =>
  side.request(method, { ...params, _meta: metaWith(meta) });

it('a server is used through the program, with the headers that it requires and without a session', async () => {
  const server = await start();
  const side = spawnBridge(program, JSON.stringify(configFor(server)));
  expect(await ask(side, 'server/discover')).toMatchObject({
    result: { supportedVersions: ['2026-07-28'] },
  });
  const answer = await ask(side, 'tools/call', { name: 'echo', arguments: { text: 'ä' } });
  expect(answer.result?.['content']).toEqual([{ type: 'text', text: 'ä' }]);
  expect(await side.close()).toEqual({ code: 0 });
  expect(server.requests).toMatchObject([
    { method: 'POST', headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' } },
    { method: 'POST', headers: { 'mcp-method': 'tools/call', 'mcp-name': 'echo' } },
  ]);
});

it('an argument is repeated in the header that the tool asks for, once the tool was listed', async () => {
  const side = startBridge(configFor(await start()));
  const weather = () => ask(side, 'tools/call', { name: 'weather', arguments: { place: 'Köln ' } });
  expect(await weather()).toMatchObject({ error: { message: expect.stringMatching(/header/i) } });
  await ask(side, 'tools/list');
  expect((await weather()).result?.['content']).toEqual([{ type: 'text', text: 'rain in Köln ' }]);
});

it('progress comes before the result', async () => {
  const side = startBridge(configFor(await start()));
  await ask(side, 'tools/call', { name: 'count', arguments: { upTo: 20 } }, { progressToken: 't' });
  expect(side.lines.map((line) => JSON.parse(line).params?.progress)).toEqual([
    ...Array.from({ length: 20 }, (_, at) => at + 1),
    undefined,
  ]);
});

it('a cancelled call is ended by the end of its stream', async () => {
  const server = await start();
  const side = startBridge(configFor(server));
  side.send({
    id: 'w',
    method: 'tools/call',
    params: { name: 'wait', _meta: metaWith({ progressToken: 1 }) },
  });
  await eventually(() => expect(server.events.calls).toEqual(['wait']));
  side.send({ method: 'notifications/cancelled', params: { requestId: 'w' } });
  await eventually(() => expect(server.events.cancelled).toBe(1));
  expect(server.requests).toHaveLength(1);
  expect(await ask(side, 'tools/list')).toHaveProperty('result');
  expect(side.lines.some((line) => line.includes('"w"'))).toBe(false);
});

it('a subscription stays open, and ends when the server says so', async () => {
  const server = await start();
  const side = startBridge(configFor(server));
  const params = { notifications: { toolsListChanged: true }, _meta: metaWith() };
  side.send({ id: 'l', method: 'subscriptions/listen', params });
  await side.message(
    (each) => each['method'] === 'notifications/subscriptions/acknowledged',
    'the subscription',
  );
  server.handler.notify.toolsChanged();
  await side.message((each) => each['method'] === 'notifications/tools/list_changed', 'the change');
  await server.handler.close();
  expect(await side.answerTo('l')).toMatchObject({ result: { resultType: 'complete' } });
  expect(side.lines).toHaveLength(3);
});

it('a subscription that the server cancels has no other end', async () => {
  const server = await startRemoteServer();
  running.push(server);
  const cancellation = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l' } };
  server.change({
    'POST /mcp': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(cancellation)}\n\n`);
    },
  });
  const side = startBridge(configFor(server));
  side.send({ id: 'l', method: 'subscriptions/listen', params: { _meta: metaWith() } });
  await side.message((each) => each['method'] === 'notifications/cancelled', 'the cancellation');
  // The id is free again, and nothing more came for it.
  side.send({ id: 'l', method: 'subscriptions/listen', params: { _meta: metaWith() } });
  await eventually(() => expect(side.lines.length).toBeGreaterThan(1));
  await side.close();
  expect(side.lines.map((line) => JSON.parse(line).method)).toEqual([
    'notifications/cancelled',
    'notifications/cancelled',
  ]);
});

describe('an error of the server', () => {
  it.each([
    ['that it sends with 404', 'no/such', {}, -32601],
    [
      'that it sends with 400',
      'tools/list',
      { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' },
      -32022,
    ],
  ])('%s is passed on as it is', async (_what, method, meta, code) => {
    const side = startBridge(configFor(await start()));
    expect(await ask(side, method, {}, meta)).toMatchObject({ error: { code } });
    expect(side.lines[0]).not.toContain('"data":{"code"');
    expect(side.reports).toEqual([]);
  });
});
