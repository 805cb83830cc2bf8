import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { bundlePrograms, runnerCommand } from './programs.ts';
import { TestSession, until, userMessage } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

/** A server that starts, greets, and then never answers a call. */
const silentServer = `
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n').filter(Boolean)) {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      }
      if (method === 'tools/call') process.stdout.write('some log line that is no message\\n');
    }
  });
`;
/** A server that ends without an answer, some time after the call that says so. */
const leavingServer = `
  process.stdin.on('data', (chunk) => {
    if (String(chunk).includes('last')) setTimeout(() => process.exit(), 300);
  });
`;
/** A server that sends requests to the agent, and answers to requests that were never made. */
const pushyServer = `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  process.stdin.on('data', (chunk) => {
    for (const line of String(chunk).split('\\n').filter(Boolean)) {
      const message = JSON.parse(line);
      if (message.method === 'tools/call') {
        send({ id: 'p', method: 'ping' });
        send({ id: 'p', method: 'ping' });
        send({ id: 'call-' + message.id, result: {} });
        send({ id: message.id + 0.5, result: {} });
        send({ id: 's', method: 'sampling/createMessage', params: {} });
        send({ id: 77, result: {} });
        global.call = message.id;
      }
      if (message.id === 's') {
        send({ id: global.call, result: { content: [{ type: 'text', text: JSON.stringify(message.error) }] } });
        send({ id: global.call, result: { content: [{ type: 'text', text: 'again' }] } });
        send({ method: 'notifications/message', params: { level: 'info', data: 'end' } });
      }
    }
  });
`;

let session: TestSession;
const node = (script: string) => ({ command: process.execPath, args: ['-e', script] });

beforeAll(async () => {
  session = new TestSession(
    await bundlePrograms(),
    {
      everything: { command: runnerCommand('mcp-server-everything'), args: [] },
      broken: { command: 'false', args: [] },
      missing: { command: '/no/such/command', args: [] },
      silent: node(silentServer),
      leaving: node(leavingServer),
      pushy: node(pushyServer),
      absent: { ...node(silentServer), isAbsent: true },
    },
    { server_connect_timeout_ms: 1500, call_timeout_ms: 2000 },
  );
  await session.start();
});
afterEach(closeWires);
afterAll(() => session.stop());

const errorIn = (answer: Record<string, unknown>) => JSON.stringify(answer);

describe('a server that fails', () => {
  it.each(['broken', 'missing'])(
    'by never starting (%s) is named in the error that the agent gets',
    async (name) => {
      await expect(session.connect(name)).rejects.toMatchObject({
        data: { code: 'server_unavailable', server: name },
      });
    },
  );

  it('by dying during a call results in a clear answer, and the next connection works', async () => {
    const client = await session.connect('everything');
    let progress = 0;
    const pending = client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 300 } },
      { onprogress: () => (progress += 1) },
    );
    await until(() => progress > 0, 'the server to work on the call');
    process.kill(await session.serverProcess('everything'), 'SIGKILL');
    const result = await pending;
    expect(result._meta?.['platform/error']).toMatchObject({
      code: 'server_unavailable',
      server: 'everything',
    });
    expect(await session.recordOf('everything', 'trigger-long-running-operation')).toMatchObject({
      outcome: 'unknown',
    });
    const again = await session.connect('everything');
    expect((await again.callTool({ name: 'echo', arguments: { message: 'back' } })).isError).toBeFalsy();
    await again.close();
  });

  it('by never answering delays its own call only, up to a limit', async () => {
    const wire = await openWire(session.socketOf('silent'));
    wire.send(initialize);
    await wire.answerTo(0);
    wire.send(call(1, 'anything'));
    const other = await session.connect('everything');
    expect((await other.callTool({ name: 'echo', arguments: { message: 'meanwhile' } })).isError).toBeFalsy();
    await other.close();
    const answer = await wire.answerTo(1);
    expect(errorIn(answer)).toContain('did not answer, nor report progress, within 2 seconds');
    expect(await session.recordOf('silent', 'anything')).toMatchObject({ outcome: 'unknown' });
    wire.socket.destroy();
  });

  it('by dying after the agent stopped sending results in an answer to each call', async () => {
    const wire = await openWire(session.socketOf('leaving'));
    wire.send(initialize, call(1, 'first'), call(2, 'second'), call(3, 'last'));
    wire.socket.end();
    for (const id of [0, 1, 2, 3]) {
      expect(errorIn(await wire.answerTo(id))).toContain('server_unavailable');
    }
    for (const tool of ['first', 'second', 'last']) {
      expect(await session.recordOf('leaving', tool)).toMatchObject({ outcome: 'unknown' });
    }
  });

  it('by having no relay is reported after the connect timeout, and the connection stays usable', async () => {
    const wire = await openWire(session.socketOf('absent'));
    wire.send(initialize, call(1, 'anything'));
    expect(await wire.answerTo(0)).toMatchObject({
      error: { data: { code: 'server_unavailable', server: 'absent' } },
    });
    expect(errorIn(await wire.answerTo(1))).toContain('server_unavailable');
    session.startServer('absent');
    // Each request opens a new connection: eventually the server accepts one, and this server never answers.
    let id = 2;
    await eventually(async () => {
      wire.send(call(id, 'echo'));
      expect(errorIn(await wire.answerTo(id++))).toContain('did not answer, nor report progress, within');
    });
    wire.socket.destroy();
  });

  it('gains no control over the agent: sampling is refused, a ping passes, foreign and duplicate answers are dropped', async () => {
    const wire = await openWire(session.socketOf('pushy'));
    wire.send(call(5, 'go'));
    const answer = await wire.answerTo(5);
    expect(errorIn(answer)).toContain('-32601');
    await until(() => wire.received.length > 2, 'what the server said at last');
    expect(wire.received.map(({ id, method }) => id ?? method)).toEqual(['p', 5, 'notifications/message']);
    expect(errorIn(wire.received[1] ?? {})).not.toContain('again');
    wire.send({ jsonrpc: '2.0', id: 'p', result: {} }, { jsonrpc: '2.0', id: 'p', result: {} });
    await until(() => wire.received.length === 4, 'the refusal of a second answer to one ping');
    expect(errorIn(wire.received[3] ?? {})).toContain('unknown_answer');
    wire.socket.destroy();
  });
});

it('a cancelled call is recorded as cancelled, and its late answer does not reach the agent', async () => {
  const wire = await openWire(session.socketOf('everything'));
  wire.send(initialize, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await wire.answerTo(0);
  wire.send(call(1, 'trigger-long-running-operation', { duration: 1, steps: 1 }));
  wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  wire.send(call(1, 'echo', { message: 'same id' }));
  await until(() => wire.received.some((message) => errorIn(message).includes('id_in_use')), 'a refusal');
  expect(await session.recordOf('everything', 'trigger-long-running-operation', 'cancelled')).toBeDefined();
  // A later one of the same length is answered after it.
  wire.send(call(2, 'trigger-long-running-operation', { duration: 1, steps: 1 }));
  await wire.answerTo(2);
  expect(wire.received.filter((message) => message['id'] === 1)).toEqual([]);
  wire.socket.destroy();
});

describe('a sidecar that is killed', () => {
  it('cannot be bypassed, and restarts with all input and working servers', async () => {
    await session.inject(userMessage(1, 'first'));
    session.platform.inputs = [userMessage(1, 'first'), userMessage(2, 'second')];
    const client = await session.connect('everything');
    let isLost = false;
    client.onclose = () => {
      isLost = true;
    };
    session.sidecar?.kill('SIGKILL');
    await until(() => isLost, 'the agent to lose its connection');
    await expect(openWire(session.socketOf('everything'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    await session.startSidecar();
    await until(() => session.platform.controlUrl !== null, 'the sidecar to be back');
    const again = await session.connect('everything');
    expect((await again.callTool({ name: 'echo', arguments: { message: 'again' } })).isError).toBeFalsy();
    expect(JSON.parse((await session.control('GET', '/health')).body)).toMatchObject({ last_seq: 2 });
    await again.close();
  });
});

it('a call that is open when the sidecar is asked to stop is recorded as unknown before it ends', async () => {
  const stopped = new TestSession(await bundlePrograms(), { silent: node(silentServer) });
  await stopped.start();
  const wire = await openWire(stopped.socketOf('silent'));
  wire.send(initialize);
  await wire.answerTo(0);
  wire.send(call(1, 'never'));
  await until(() => stopped.sidecarLog.includes('"from":"server"'), 'the server to have the call');
  stopped.sidecar?.kill('SIGTERM');
  expect(await stopped.recordOf('silent', 'never')).toMatchObject({ outcome: 'unknown' });
  await stopped.stop();
});

it('a sidecar whose supervisor has exited ends by itself', async () => {
  const orphan = new TestSession(await bundlePrograms(), {});
  await orphan.start();
  orphan.sidecar?.stdin?.end();
  await until(() => orphan.sidecar?.exitCode === 0, 'the sidecar to end');
  await orphan.stop();
});
