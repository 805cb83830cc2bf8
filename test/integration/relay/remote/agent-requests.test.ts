/** What the bridge refuses to send, and an agent that does not read what it is told. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import { type RemoteServer, type Reply, startRemoteServer } from '../../../support/remote-server.ts';
import { configFor, quickLimits, startBridge, stopBridges } from './agent-side.ts';

let server: RemoteServer;
beforeEach(async () => {
  server = await startRemoteServer();
});
afterEach(async () => {
  await stopBridges();
  await server.close();
});

const small = { ...quickLimits, messageBytes: 10_000 };
/** The first request of a test has the id 1. */
const pong = { json: { jsonrpc: '2.0', id: 1, result: { is: 'pong' } } };
const answerWith = (reply: Reply) => server.change({ 'POST /mcp': reply });

describe('requests of the agent', () => {
  it('beyond the limit are refused, until one is answered', async () => {
    const held: ServerResponse[] = [];
    answerWith((_request, response) => held.push(response));
    const side = startBridge(configFor(server), { limits: { ...quickLimits, openRequests: 2 } });
    side.send({ id: 'a', method: 'ping' });
    side.send({ id: 'b', method: 'ping' });
    side.send({ id: 'c', method: 'ping' });
    expect(await side.answerTo('c')).toMatchObject({ error: { data: { code: 'too_many_requests' } } });
    side.send({ id: 'a', method: 'ping' });
    await side.message(
      (each) => each.error?.message.includes('A request with this id waits') === true,
      'the refusal',
    );
  });

  it.each([
    ['no JSON', '{"jsonrpc":', -32600],
    ['a list', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['too long', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(10_000)}"}`, -32600],
  ])('that are %s are answered, and not sent', async (_what, line, code) => {
    const side = startBridge(configFor(server), { limits: small });
    side.write(line);
    const refusal = await side.message((each) => each.error !== undefined, 'the refusal');
    expect(refusal).toMatchObject({ error: { code, data: { code: 'invalid_message' } } });
    expect(refusal).not.toHaveProperty('id');
    answerWith(pong);
    expect(await side.request('ping')).toMatchObject({ result: { is: 'pong' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('an agent that reads nothing', () => {
  it('is not read either, and does not delay the end', async () => {
    const side = startBridge(configFor(server));
    side.pause();
    for (let count = 0; count < 5000; count += 1) {
      side.write('no message');
    }
    await eventually(() => expect(side.unread).toBeGreaterThan(1000));
    await side.stop();
    side.resume();
    await eventually(() => expect(side.lines.length).toBeGreaterThan(0));
    expect(side.lines.length).toBeLessThan(5000);
  });
});
