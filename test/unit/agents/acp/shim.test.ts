import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openShim, type Shim } from '../../../../agents/acp/shim/open-shim.ts';
import { unknownOutcome } from '../../../../agents/acp/shim/server-link.ts';
import type { RunStep } from '../../../../agents/model/run-step.ts';
import { eventually } from '../../../support/eventually.ts';

type Message = Record<string, unknown> & { id?: unknown; method?: string };

/** One side of a connection: what it heard, and what it says. */
class Side {
  readonly heard: Message[] = [];
  readonly lines: string[] = [];
  readonly socket: Socket;
  constructor(socket: Socket) {
    this.socket = socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      this.lines.push(line);
      this.heard.push(JSON.parse(line));
    });
  }
  say(message: Message | string): void {
    this.socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }
  hears = (message: object) => eventually(() => expect(this.heard).toContainEqual(message));
}

const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'x' } } };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const greeting = { capabilities: { tools: {}, prompts: {} } };
const toolCall = (id: number, name: string, args: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
});
const says = (text: string) => ({ content: [{ type: 'text', text }] });

let directory: string;
let sidecar: Server;
/** Each connection that the sidecar took. */
let upstreams: Side[];
let shim: Shim;
let agent: Side;
let steps: RunStep[];

const address = () => join(directory, 'platform.sock');
async function startSidecar(): Promise<void> {
  sidecar = createServer((socket) => upstreams.push(new Side(socket))).listen(address());
  await once(sidecar, 'listening');
}
/** As when its process is killed. */
async function killSidecar(): Promise<void> {
  sidecar.close();
  for (const { socket } of upstreams) {
    socket.destroy();
  }
  await once(sidecar, 'close');
}
const upstream = async (at: number): Promise<Side> => {
  await eventually(() => expect(upstreams[at]).toBeDefined());
  const [found] = upstreams.slice(at, at + 1);
  if (found === undefined) {
    throw new Error('no connection');
  }
  return found;
};
async function dial(): Promise<Side> {
  const [, path = ''] = shim.launches['platform']?.args ?? [];
  const socket = connect(path.replace('UNIX-CONNECT:', ''));
  await once(socket, 'connect');
  return new Side(socket);
}
async function greet(): Promise<Side> {
  const first = await upstream(0);
  agent.say(hello);
  await first.hears(hello);
  first.say({ jsonrpc: '2.0', id: 0, result: greeting });
  await agent.hears({ jsonrpc: '2.0', id: 0, result: greeting });
  agent.say(initialized);
  await first.hears(initialized);
  return first;
}
/** Takes the repeated handshake of the connection after a restart. */
async function greetAgain(at: number): Promise<Side> {
  const next = await upstream(at);
  await eventually(() => expect(next.heard[0]).toMatchObject({ method: 'initialize', params: hello.params }));
  next.say({ jsonrpc: '2.0', id: next.heard[0]?.id, result: greeting });
  await next.hears(initialized);
  return next;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'shim-test-'));
  upstreams = [];
  steps = [];
  await startSidecar();
  await open();
});
async function open(listLimitMs?: number): Promise<void> {
  shim = await openShim({
    servers: { platform: { command: 'relay', args: ['-', `UNIX-CONNECT:${address()}`], env: {} } },
    maxWaitSeconds: 45,
    ...(listLimitMs === undefined ? {} : { listLimitMs }),
    onStep: (step) => steps.push(step),
  });
  agent = await dial();
}
afterEach(async () => {
  agent.socket.destroy();
  await shim.close();
  await killSidecar();
  rmSync(directory, { recursive: true });
});

describe('the shim, when the sidecar restarts', () => {
  it('repeats the handshake unseen, and says that the lists may have changed', async () => {
    await greet();
    await killSidecar();
    await startSidecar();
    await greetAgain(1);
    await agent.hears({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await agent.hears({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
    expect(agent.heard.filter(({ result }) => result !== undefined)).toHaveLength(1);
  });

  it('lists the tools again, unseen and to the last page, before the next call', async () => {
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
    const first = await greet();
    agent.say(list(1));
    await first.hears(list(1));
    first.say({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
    await agent.hears({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
    await killSidecar();
    await startSidecar();
    const second = await greetAgain(1);
    agent.say(toolCall(2, 'emit_status'));
    const listing = (at: number) => second.heard.filter(({ method }) => method === 'tools/list')[at];
    await eventually(() => expect(listing(0)).toMatchObject({ params: {} }));
    second.say({ jsonrpc: '2.0', id: 'question', method: 'ping' });
    await agent.hears({ jsonrpc: '2.0', id: '2:"question"', method: 'ping' });
    second.say({ jsonrpc: '2.0', id: listing(0)?.id, result: { tools: [], nextCursor: 'b' } });
    await eventually(() => expect(listing(1)).toMatchObject({ params: { cursor: 'b' } }));
    expect(second.heard).not.toContainEqual(toolCall(2, 'emit_status'));
    second.say({ jsonrpc: '2.0', id: listing(1)?.id, result: { tools: [] } });
    await second.hears(toolCall(2, 'emit_status'));
    expect(agent.heard.filter(({ result }) => result !== undefined)).toHaveLength(2);
  });

  it('lets a call go on to a server that does not answer the list', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    agent.socket.destroy();
    await shim.close();
    upstreams.splice(0);
    await open(50);
    const first = await greet();
    agent.say(list);
    await first.hears(list);
    await killSidecar();
    await startSidecar();
    const second = await greetAgain(1);
    agent.say(toolCall(2, 'emit_status'));
    await second.hears(toolCall(2, 'emit_status'));
    second.say({ jsonrpc: '2.0', id: 2, result: says('done') });
    await agent.hears({ jsonrpc: '2.0', id: 2, result: says('done') });
  });

  it('answers a call that ran, and never makes it again', async () => {
    const first = await greet();
    agent.say(toolCall(1, 'end_session'));
    await first.hears(toolCall(1, 'end_session'));
    await killSidecar();
    const answer = { isError: true, ...says(unknownOutcome) };
    await agent.hears({ jsonrpc: '2.0', id: 1, result: answer });
    await startSidecar();
    const second = await greetAgain(1);
    agent.say(toolCall(2, 'emit_status'));
    await second.hears(toolCall(2, 'emit_status'));
    expect(second.heard.map(({ method }) => method)).toEqual([
      ...['initialize', 'notifications/initialized', 'tools/call'],
    ]);
    // Not an end of the session: it is unknown whether it was one.
    expect(steps[1]).toMatchObject({ type: 'result', failed: true });
  });

  it('keeps what is asked meanwhile until it can be asked once', async () => {
    await greet();
    await killSidecar();
    agent.say(toolCall(1, 'emit_status'));
    await startSidecar();
    const second = await greetAgain(1);
    await second.hears(toolCall(1, 'emit_status'));
    second.say({ jsonrpc: '2.0', id: 1, result: says('done') });
    await agent.hears({ jsonrpc: '2.0', id: 1, result: says('done') });
  });

  it('drops late answers, to the agent and of the agent', async () => {
    const first = await greet();
    first.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await agent.hears({ jsonrpc: '2.0', id: '1:1', method: 'ping' });
    agent.say(toolCall(1, 'emit_status'));
    await first.hears(toolCall(1, 'emit_status'));
    await killSidecar();
    await startSidecar();
    const second = await greetAgain(1);
    second.say({ jsonrpc: '2.0', id: 1, result: says('of a call that was answered') });
    second.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await agent.hears({ jsonrpc: '2.0', id: '2:1', method: 'ping' });
    agent.say({ jsonrpc: '2.0', id: '1:1', result: { late: true } });
    agent.say({ jsonrpc: '2.0', id: '2:1', result: {} });
    await second.hears({ jsonrpc: '2.0', id: 1, result: {} });
    expect(second.heard).not.toContainEqual(expect.objectContaining({ result: { late: true } }));
    expect(JSON.stringify(agent.heard)).not.toContain('of a call that was answered');
  });

  it('says of a call that it was not made while the server does not start again', async () => {
    await greet();
    await killSidecar();
    await startSidecar();
    const second = await upstream(1);
    await eventually(() => expect(second.heard[0]).toMatchObject({ method: 'initialize' }));
    agent.say(toolCall(1, 'emit_status'));
    second.say({ jsonrpc: '2.0', id: second.heard[0]?.id, error: { code: -32000, message: 'no memory' } });
    await eventually(() => expect(agent.heard).toContainEqual(expect.objectContaining({ id: 1 })));
    expect(JSON.stringify(agent.heard)).toContain('This call was not made');
    expect(JSON.stringify(agent.heard)).toContain('no memory');
    expect(steps).toEqual([]);
    const third = await greetAgain(2);
    agent.say(toolCall(2, 'emit_status'));
    await third.hears(toolCall(2, 'emit_status'));
    expect(third.heard).not.toContainEqual(toolCall(1, 'emit_status'));
  });

  it('closes a connection whose handshake it repeats when the agent leaves', async () => {
    await greet();
    await killSidecar();
    await startSidecar();
    const closed = once((await upstream(1)).socket, 'close');
    agent.socket.destroy();
    await closed;
  });

  it('passes the refusal of a handshake on once, and the next handshake of the agent', async () => {
    const first = await upstream(0);
    agent.say(hello);
    await first.hears(hello);
    const refusal = { jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'no memory' } };
    first.say(refusal);
    await agent.hears(refusal);
    first.socket.destroy();
    const second = await upstream(1);
    agent.say({ ...hello, id: 1 });
    await second.hears({ ...hello, id: 1 });
    expect(second.heard).toHaveLength(1);
  });

  it('leaves a refused handshake to the agent, and ends with a server that ends each connection', async () => {
    const closed = once(agent.socket, 'close');
    sidecar.on('connection', (socket) => socket.once('data', () => socket.destroy()));
    (await upstream(0)).socket.once('data', () => upstreams[0]?.socket.destroy());
    agent.say(hello);
    await closed;
    expect(upstreams.length).toBe(5);
  });
});

describe('the shim, otherwise', () => {
  it('passes on the bytes that came, also what is no message', async () => {
    const first = await greet();
    const exact =
      '{"jsonrpc":"2.0", "id":7,"method":"tools/call","params":{"name":"a","arguments":{"n":1e400}}}';
    agent.say(exact);
    agent.say('[]');
    await eventually(() => expect(first.lines).toContain('[]'));
    expect(first.lines).toContain(exact);
  });

  it.each([
    ['request_permission', { wait_seconds: 300 }, { wait_seconds: 45 }],
    ['request_permission', {}, { wait_seconds: 45 }],
    ['request_input', {}, {}],
    ['request_input', { wait_seconds: 20 }, { wait_seconds: 20 }],
    ['request_input', { wait_seconds: 'x' }, { wait_seconds: 'x' }],
  ])('lets %s wait no longer than the agent does: %j', async (tool, asked, sent) => {
    const first = await greet();
    agent.say(toolCall(1, tool, asked));
    await first.hears(toolCall(1, tool, sent));
  });

  it('reports what platform answered once, and which lists were asked for', async () => {
    const first = await greet();
    expect(shim.unlisted()).toEqual(['platform']);
    agent.say(toolCall(1, 'request_input'));
    agent.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await first.hears({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    first.say({ jsonrpc: '2.0', id: 1, result: says('{}') });
    first.say({ jsonrpc: '2.0', id: 1, result: says('twice') });
    first.say({ jsonrpc: '2.0', id: 2, result: { tools: [] } });
    await eventually(() => expect(shim.unlisted()).toEqual([]));
    expect(steps).toEqual([
      { type: 'call', id: '1/1', tool: 'mcp__platform__request_input' },
      { type: 'result', id: '1/1', failed: false, text: '{}' },
    ]);
  });

  it('tells the agent by the id that it knows which question a server no longer asks', async () => {
    const first = await greet();
    const cancelled = (requestId: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'late' },
    });
    first.say(cancelled(7));
    await agent.hears(cancelled('1:7'));
  });

  it('ends what an ended program left connected, and takes the next one', async () => {
    const first = await greet();
    const closed = once(first.socket, 'close');
    shim.disconnect();
    await closed;
    const next = await dial();
    const second = await upstream(1);
    next.say(hello);
    await second.hears(hello);
    next.socket.destroy();
  });

  it('gives each connection one of its own, so that ids never mix', async () => {
    const first = await greet();
    const other = await dial();
    const second = await upstream(1);
    agent.say(toolCall(1, 'one'));
    other.say(toolCall(1, 'two'));
    await second.hears(toolCall(1, 'two'));
    second.say({ jsonrpc: '2.0', id: 1, result: says('of two') });
    await other.hears({ jsonrpc: '2.0', id: 1, result: says('of two') });
    expect(first.heard).not.toContainEqual(toolCall(1, 'two'));
    expect(JSON.stringify(agent.heard)).not.toContain('of two');
    other.socket.destroy();
  });
});
