import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as z from 'zod';
import { eventually } from '../../support/eventually.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession } from './session.ts';
import { call, closeWires, initialize, openWire, type Wire } from './wire.ts';

const script = join(import.meta.dirname, 'odd-server.mjs');
const odd = { command: process.execPath, args: [script] };
const modern = { command: process.execPath, args: [script, '--modern'] };
const limitBytes = 3_000_000;
const node = (text: string) => ({ command: process.execPath, args: ['-e', text] });
/** Answers nothing but its first request, with what is no message. */
const mute = node(`process.stdin.once('data', (line) => {
  console.log('{"jsonrpc":"2.0","id":ID,"result":null}'.replace('ID', JSON.stringify(JSON.parse(line).id)));
});`);
/** Prints a banner, and asks its client under the id of the client's own request. */
const chatty = node(`process.stdin.once('data', () => {
  console.log('Listening on stdio');
  console.log('[info] ready');
  console.log('{"level":30,"time":1,"msg":"ready"}');
  console.log('{"jsonrpc":"2.0","id":0,"method":"ping","params":[]}');
  console.log('{\\n  "jsonrpc": "2.0",\\n  "method": "notifications/message",\\n  "params": {}\\n}');
  setTimeout(() => console.log('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"c","version":"1"}}}'), 200);
});`);

let session: TestSession;
/** Its limit for a call is short. */
let limited: TestSession;

beforeAll(async () => {
  const programs = await bundlePrograms();
  session = new TestSession(programs, { odd, modern, mute, chatty }, { answer_bytes: limitBytes });
  limited = new TestSession(programs, { odd }, { call_timeout_ms: 4000 });
  await Promise.all([session.start(), limited.start()]);
});
afterEach(closeWires);
afterAll(() => Promise.all([session.stop(), limited.stop()]));

async function connect(server = 'odd', of = session): Promise<Wire> {
  const wire = await openWire(of.socketOf(server));
  wire.send(initialize);
  await wire.answerTo(0);
  return wire;
}

/** Of a call whose answer did not pass. */
const outcome = z.looseObject({
  isError: z.boolean(),
  _meta: z.looseObject({ 'platform/error': z.looseObject({ reason: z.string() }) }),
});
/** Without calls that wait, the server is free for the next connection at once. */
const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const print = (id: number | string, text: string) => call(id, 'print', { text });
const faultsOf = (server = 'odd') =>
  session.platform.processes.filter(({ name, faults }) => name === server && faults !== undefined).at(-1)
    ?.faults;
const refusal = (reason: string) => ({
  result: {
    isError: true,
    _meta: { 'platform/error': { code: 'server_unavailable', server: 'odd', reason } },
  },
});

/** What the server prints for its answer, and why that does not pass. */
const unreadable = [
  ['NaN in the result', '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"value":NaN}}\n', 'not_json'],
  ['a key twice', '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}\n', 'duplicate_key'],
  ['the id twice', '{"jsonrpc":"2.0","id":ID,"id":ID,"result":{"content":[]}}\n', 'duplicate_key'],
  ['the id as text', '{"jsonrpc":"2.0","id":"ID","result":{"content":[]}}\n', 'other_id'],
  ['the id as a fraction', '{"jsonrpc":"2.0","id":ID.0,"result":{"content":[]}}\n', 'bad_id'],
  ['no id', '{"jsonrpc":"2.0","result":{"content":[]}}\n', 'bad_id'],
  [
    'an error with the id null',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}\n',
    'bad_id',
  ],
  [
    'pretty-printed',
    '{\n  "jsonrpc": "2.0",\n  "result": {\n    "content": [\n      {\n      "type": "text"\n      }\n    ]\n  },\n  "id": ID\n}\n',
    'several_lines',
  ],
  ['cut off', '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"te\n', 'not_json'],
  [
    'with a line feed in a text',
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\nb"}]}}\n',
    'not_json',
  ],
  [
    'as a Python value',
    "{'jsonrpc': '2.0', 'id': ID, 'result': {'content': [], 'isError': False}}\n",
    'not_json',
  ],
  ['in a list', '[{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]\n', 'batch'],
  ['after a byte order mark', '\uFEFF{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}\n', 'byte_order_mark'],
  ['the bare result', '{"content":[{"type":"text","text":"hi"}]}\n', 'unknown_member'],
  ['without a version', '{"id":ID,"result":{"content":[]}}\n', 'bad_version'],
  ['with other members', '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"took_ms":3}\n', 'unknown_member'],
  [
    'an error without a message',
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":null}}\n',
    'bad_error',
  ],
  ['an error that is a text', '{"jsonrpc":"2.0","id":ID,"error":"no"}\n', 'bad_error'],
  [
    'an error whose code is a text',
    '{"jsonrpc":"2.0","id":ID,"error":{"code":"E","message":"no"}}\n',
    'bad_error',
  ],
  [
    'an error of null beside a result',
    '{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[]}}\n',
    'mixed_message',
  ],
  ['a result of null', '{"jsonrpc":"2.0","id":ID,"result":null}\n', 'bad_result'],
  ['a _meta of null', '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"_meta":null}}\n', 'bad_result'],
  [
    'beside a notification, in a list',
    '[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]\n',
    'batch',
  ],
] as const;

describe('an answer that the gate cannot read', () => {
  it.each(unreadable)('fails its call at once, and says why: %s', async (_what, text, reason) => {
    const wire = await connect();
    wire.send(print(7, text));
    expect(await wire.answerTo(7)).toMatchObject(refusal(reason));
    wire.send(call(8, 'echo', { text: 'next' }));
    expect(await wire.answerTo(8)).toMatchObject({ result: { content: [{ text: 'next' }] } });
    const told = JSON.stringify(await wire.answerTo(7));
    expect(told).toContain('gave an answer that the platform does not let pass: ');
    await eventually(() =>
      expect(session.platform.calls.at(-2)).toMatchObject({
        tool: 'print',
        outcome: 'protocol_error',
        reason,
      }),
    );
    await eventually(() => expect(faultsOf()?.map((fault) => fault.reason)).toContain(reason));
  });
});

describe('what chooses the request that fails', () => {
  it('leaves several in flight alone where no id is found, and says so', async () => {
    const wire = await connect();
    wire.send(call(1, 'silent'), call(2, 'silent'), print(3, '{"jsonrpc":"2.0","result":{"value":NaN}}\n'));
    wire.send(call(4, 'echo', { text: 'x' }));
    await wire.answerTo(4);
    expect(wire.received.map(({ id }) => id)).toEqual([0, 4]);
    await eventually(() => expect(faultsOf()?.map(({ reason }) => reason)).toContain('not_json'));
    wire.send(cancel(1), cancel(2), cancel(3));
  });

  it('finds the id behind a result, among several in flight', async () => {
    const wire = await connect();
    wire.send(
      call(1, 'silent'),
      call(2, 'silent'),
      print(3, '{"result":{"a":[{"id":1}],"n":NaN},"jsonrpc":"2.0","id":ID}\n'),
    );
    expect(await wire.answerTo(3)).toMatchObject(refusal('not_json'));
    expect(wire.received.map(({ id }) => id)).toEqual([0, 3]);
    wire.send(cancel(1), cancel(2));
  });

  it('fails nothing else for the late or repeated answer to a request that is over', async () => {
    const wire = await connect();
    wire.send(print(1, '{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}\n'));
    await wire.answerTo(1);
    wire.send(call(2, 'silent'), cancel(2));
    wire.send(
      print(3, '{"jsonrpc":"2.0","id":1,"result":{"value":NaN}}\n{"jsonrpc":"2.0","id":2,"result":{}}\n'),
    );
    wire.send(call(4, 'echo', { text: 'x' }));
    await wire.answerTo(4);
    expect(wire.received.map(({ id }) => id)).toEqual([0, 1, 4]);
  });

  it('is neither a banner, a log line, nor a message that names a method', async () => {
    const wire = await openWire(session.socketOf('chatty'));
    wire.send(initialize);
    expect(await wire.answerTo(0)).toMatchObject({ result: { serverInfo: { name: 'c' } } });
    expect(wire.received).toHaveLength(1);
    expect(faultsOf('chatty')).toBeUndefined();
  });

  it('passes no byte of the line on', async () => {
    const wire = await connect();
    wire.send(
      print(
        1,
        '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"of-the-server"}],"v":NaN}}\n',
      ),
    );
    expect(JSON.stringify(await wire.answerTo(1))).not.toContain('of-the-server');
    expect(session.sidecarLog).not.toContain('of-the-server');
  });

  it('names the cause of a server whose first answer is none', async () => {
    const wire = await openWire(session.socketOf('mute'));
    wire.send(initialize);
    expect(await wire.answerTo(0)).toMatchObject({
      error: { data: { code: 'server_unavailable', server: 'mute', reason: 'bad_result' } },
    });
    wire.socket.end();
    await eventually(() =>
      expect(session.platform.processes.filter(({ name }) => name === 'mute').at(-1)).toMatchObject({
        state: 'failed',
        cause: 'unreadable_answer',
        faults: [{ reason: 'bad_result', count: 1 }],
      }),
    );
  });

  it('is found in an answer over several lines that come slowly, among several in flight', async () => {
    const wire = await connect();
    const text =
      '{\n  "jsonrpc": "2.0",\n  "result": {\n    "content": [\n      {}\n    ]\n  },\n  "id": ID\n}';
    wire.send(call(1, 'silent'), call(2, 'silent'), call(3, 'printSlowly', { text, everyMs: 300 }));
    expect(await wire.answerTo(3)).toMatchObject(refusal('several_lines'));
    expect(wire.received.map(({ id }) => id)).toEqual([0, 3]);
    wire.send(cancel(1), cancel(2));
  });

  it('keeps no call waiting behind a brace that is never closed, however much follows it', async () => {
    const wire = await connect();
    wire.send(call(1, 'printSlowly', { text: `{\n${'still working\n'.repeat(10_000)}`, everyMs: 300 }));
    expect(await wire.answerTo(1)).toMatchObject(refusal('several_lines'));
    expect(wire.received.map(({ id }) => id)).toEqual([0, 1]);
    wire.socket.end();
  });

  it('is found behind an answer that was cut off', async () => {
    const wire = await connect();
    wire.send(call(1, 'silent'), call(2, 'silent'));
    wire.send(print(3, '{"jsonrpc":"2.0","result":{"content":[\n{"id":ID,"result":{"v":NaN}}\n'));
    expect(await wire.answerTo(3)).toMatchObject(refusal('not_json'));
    expect(wire.received.map(({ id }) => id)).toEqual([0, 3]);
    wire.send(cancel(1), cancel(2));
  });
});

describe('an official client as the agent', () => {
  const faulty = [...unreadable, ['too large', null, 'too_large']] as const;
  const earlier = async (server: string) => {
    const client = new EarlierClient({ name: 'test-agent', version: '1' });
    await client.connect(new EarlierStdio({ ...session.relayLaunch(server), stderr: 'ignore' }));
    return client;
  };

  it.each([
    ['of the first line of the SDK', () => earlier('odd')],
    ['of the second, from initialize on', () => session.connect('odd', 'legacy')],
    ['of the 2026 revision', () => session.connect('modern', 'auto')],
  ])('is told at once of each answer that does not pass, and why: %s', async (_which, connectClient) => {
    const client = await connectClient();
    // Less than the minute after which a client gives up by itself.
    const options = { timeout: 20_000 };
    const tell = (params: { name: string; arguments: Record<string, unknown> }): Promise<unknown> =>
      client instanceof EarlierClient
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options);
    const told: unknown[] = [];
    for (const [, text] of faulty) {
      const params =
        text === null
          ? { name: 'fill', arguments: { bytes: 2 * limitBytes } }
          : { name: 'print', arguments: { text } };
      const result = outcome.parse(await tell(params));
      told.push([result.isError, result._meta['platform/error'].reason]);
    }
    expect(told).toEqual(faulty.map(([, , reason]) => [true, reason]));
    const last = await tell({ name: 'echo', arguments: { text: 'next' } });
    expect(last).toMatchObject({ content: [{ text: 'next' }] });
    await client.close();
  });

  it.each([
    ['of the first line of the SDK', () => earlier('mute')],
    ['of the second', () => session.connect('mute', 'legacy')],
    ['of the 2026 revision', () => session.connect('mute', 'auto')],
  ])('is told at once when already the first answer does not pass: %s', async (_which, connectClient) => {
    await expect(connectClient()).rejects.toThrow('does not let pass: its result');
  });
});

describe('a call without an answer', () => {
  it('is listed while it is open', async () => {
    const wire = await connect();
    wire.send(call(1, 'silent'));
    const last = () => session.platform.openCalls.at(-1);
    await eventually(() =>
      expect(last()).toMatchObject({ count: 1, calls: [{ server: 'odd', tool: 'silent' }] }),
    );
    wire.socket.end();
    await eventually(() => expect(last()).toMatchObject({ count: 0, calls: [] }));
  });

  it('ends at its limit, which begins again with each progress', async () => {
    const wire = await connect('odd', limited);
    const beganMs = performance.now();
    wire.send({
      ...call(1, 'progress', { times: 4, everyMs: 1500 }),
      params: { name: 'progress', arguments: { times: 4, everyMs: 1500 }, _meta: { progressToken: 'p' } },
    });
    wire.send(call(2, 'silent'));
    const late = JSON.stringify(await wire.answerTo(2));
    expect(late).toContain('within 4 seconds');
    expect(await wire.answerTo(1)).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(performance.now() - beganMs).toBeGreaterThan(4000);
    await eventually(() =>
      expect(limited.platform.calls.find(({ tool }) => tool === 'silent')).toMatchObject({
        outcome: 'unknown',
        reason: 'not_in_time',
      }),
    );
  });
});

describe('a large answer', () => {
  const mebibyte = 1024 * 1024;

  it('passes up to the limit, also to the official client', async () => {
    const client = await session.connect('odd');
    const bytes = limitBytes - 1000;
    const { content } = await client.callTool({ name: 'fill', arguments: { bytes } });
    expect(content).toMatchObject([{ text: 'x'.repeat(bytes) }]);
    await client.close();
  });

  it('fails its request alone beyond the limit, which it names, and its server goes on', async () => {
    const wire = await connect();
    wire.send(
      call(1, 'silent'),
      call(2, 'fill', { bytes: 20 * mebibyte }),
      call(3, 'echo', { text: 'next' }),
    );
    const refused = await wire.answerTo(2);
    expect(refused).toMatchObject(refusal('too_large'));
    expect(JSON.stringify(refused)).toContain(`more than ${limitBytes} bytes, which is the limit`);
    expect(await wire.answerTo(3)).toMatchObject({ result: { content: [{ text: 'next' }] } });
    expect(wire.received.map(({ id }) => id)).toEqual([0, 2, 3]);
    expect(wire.isClosed()).toBe(false);
    wire.send(cancel(1));
  });

  it('with too many values fails as well', async () => {
    const wire = await connect();
    wire.send(call(1, 'values', { count: 600_000 }), call(2, 'echo', { text: 'next' }));
    expect(await wire.answerTo(1)).toMatchObject(refusal('too_many_values'));
    expect(await wire.answerTo(2)).toMatchObject({ result: { content: [{ text: 'next' }] } });
  });

  it('of the agent is refused by its id, with the limit', async () => {
    const wire = await connect();
    wire.send(call(1, 'echo', { text: 'x'.repeat(2 * mebibyte) }));
    expect(JSON.stringify(await wire.answerTo(1))).toContain(
      'too_large: a message may have 1048576 bytes at most',
    );
  });
});
