import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { bundlePrograms, type Programs, runnerCommand } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

let programs: Programs;
let session: TestSession;
let client: Client;

beforeAll(async () => {
  programs = await bundlePrograms();
  session = new TestSession(programs, {
    files: {
      command: runnerCommand('mcp-server-filesystem'),
      args: ['/tmp'],
      toolScopes: { write_file: 'files.write', edit_file: 'files.write' },
    },
    everything: { command: runnerCommand('mcp-server-everything'), args: [] },
  });
  await session.start();
  client = await session.connect('files');
});
afterEach(closeWires);
afterAll(() => session.stop());

const platformError = (result: { _meta?: Record<string, unknown> | undefined }) =>
  result._meta?.['platform/error'];
const fileOfThisTest = (name: string) => join(session.directory, 'work', name);
const write = (path: string, content: string) =>
  client.callTool({ name: 'write_file', arguments: { path, content } });

describe('a gated tool of a real filesystem server', () => {
  it('is refused without a grant, with the scope that it needs and how to request it', async () => {
    const path = fileOfThisTest('never-written.txt');
    const result = await write(path, 'x');
    expect(result.isError).toBe(true);
    expect(platformError(result)).toMatchObject({
      code: 'permission_required',
      scope: 'files.write',
      server: 'files',
      tool: 'write_file',
    });
    const [text] = result.content;
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual(platformError(result));
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
    const record = await session.recordOf('files', 'write_file');
    expect(record).toMatchObject({ outcome: 'permission_required' });
    expect(session.platform.checks.at(-1)?.call_id).toBe(record?.call_id);
  });

  it('passes when the check allows it, checked and recorded under one call id', async () => {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    const path = fileOfThisTest('written.txt');
    expect((await write(path, 'hello')).isError).toBeFalsy();
    expect(await readFile(path, 'utf8')).toBe('hello');
    const record = await session.recordOf('files', 'write_file', 'ok');
    expect(session.platform.checks.at(-1)).toEqual({
      call_id: record?.call_id,
      server: 'files',
      tool: 'write_file',
      call_sha256: expect.any(String),
    });
  });

  it('is checked again at each call, so that a revocation takes effect immediately', async () => {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    expect((await write(fileOfThisTest('a.txt'), 'a')).isError).toBeFalsy();
    session.platform.onCheck = () => ({
      decision: 'refused',
      code: 'permission_required',
      scope: 'files.write',
    });
    expect(platformError(await write(fileOfThisTest('b.txt'), 'b'))).toMatchObject({
      code: 'permission_required',
    });
  });

  it('waits for a platform that is briefly unreachable', async () => {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    session.platform.failWith = 503;
    setTimeout(() => {
      session.platform.failWith = null;
    }, 700);
    expect((await write(fileOfThisTest('c.txt'), 'c')).isError).toBeFalsy();
  });

  it('is refused while the platform is unreachable: nothing passes without a check', async () => {
    session.platform.failWith = 503;
    const result = await write(fileOfThisTest('d.txt'), 'd');
    session.platform.failWith = null;
    expect(platformError(result)).toMatchObject({ code: 'gate_unavailable' });
    await expect(readFile(fileOfThisTest('d.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await session.recordOf('files', 'write_file', 'refused')).toBeDefined();
  });

  it('is refused in time while the platform does not answer, and calls of other servers go on', async () => {
    const before = session.platform.checks.length;
    const { onCheck } = session.platform;
    session.platform.onCheck = () => new Promise(() => undefined);
    const waiting = Promise.all(
      ['1', '2', '3', '4'].map((name) => write(fileOfThisTest(`${name}.txt`), name)),
    );
    await until(() => session.platform.checks.length > before, 'the first check');
    const other = await session.connect('platform');
    const status = { name: 'emit_status', arguments: { status: 'still here' } };
    expect((await other.callTool(status)).isError).toBeFalsy();
    await other.ping();
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    for (const result of await waiting) {
      expect(platformError(result)).toMatchObject({ code: 'gate_unavailable' });
    }
    const asked = session.platform.checks.slice(before).map(({ call_id }) => call_id);
    expect(new Set(asked).size).toBe(4);
    session.platform.onCheck = onCheck;
  });

  it('is refused under a lookalike name, without contacting the server', async () => {
    await expect(client.callTool({ name: 'Write_File', arguments: {} })).rejects.toMatchObject({
      data: { code: 'invalid_message', reason: 'lookalike_tool_name' },
    });
    expect(await session.recordOf('files', 'Write_File')).toMatchObject({ outcome: 'refused' });
  });
});

describe('tools that no scope gates', () => {
  it('pass without a check and are still recorded', async () => {
    const checksBefore = session.platform.checks.length;
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('write_file');
    const result = await client.callTool({ name: 'list_allowed_directories', arguments: {} });
    expect(result.isError).toBeFalsy();
    expect(await session.recordOf('files', 'list_allowed_directories')).toMatchObject({ outcome: 'ok' });
    expect(session.platform.checks.length).toBe(checksBefore);
  });

  it('are recorded with the failure that the server reported', async () => {
    const result = await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/passwd' } });
    expect(result.isError).toBe(true);
    expect(platformError(result)).toBeUndefined();
    expect(await session.recordOf('files', 'read_text_file')).toMatchObject({ outcome: 'tool_error' });
  });

  it('report their progress to the agent while they run', async () => {
    const everything = await session.connect('everything');
    const progress: number[] = [];
    await everything.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 5 } },
      { onprogress: ({ progress: at }) => progress.push(at) },
    );
    // The client may take the result before the last of them.
    expect(progress.slice(0, 2)).toEqual([1, 2]);
    const record = await session.recordOf('everything', 'trigger-long-running-operation');
    expect(record?.duration_ms).toBeGreaterThan(900);
    await everything.close();
  });
});

describe('a client of any kind', () => {
  it('may probe for the newer revision first, on a second connection, and falls back', async () => {
    const probing = await session.connect('everything', 'auto');
    expect((await probing.callTool({ name: 'echo', arguments: { message: 'hi' } })).isError).toBeFalsy();
    await probing.close();
  });

  it('receives the bytes of the server unchanged', async () => {
    const wire = await openWire(session.socketOf('everything'));
    wire.send(initialize, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await wire.answerTo(0);
    const message = 'ü \u2028 \ud83d\ude00 "quoted"';
    wire.send(call('text id', 'echo', { message }));
    expect(await wire.answerTo('text id')).toEqual({
      jsonrpc: '2.0',
      id: 'text id',
      result: { content: [{ type: 'text', text: `Echo: ${message}` }] },
    });
    wire.socket.end();
    await until(wire.isClosed, 'the connection to end');
  });
});

describe('a hostile agent', () => {
  it('is answered line by line, and the connection continues', async () => {
    const wire = await openWire(session.socketOf('everything'));
    wire.send(
      'not json',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      '{"jsonrpc":"2.0","id":2,"method":"x","method":"y"}',
    );
    wire.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}');
    wire.send('x'.repeat(1024 * 1024 + 1));
    wire.send(initialize);
    expect(await wire.answerTo(0)).toHaveProperty('result');
    const reasons = wire.received.map((message) => /"reason":"(\w+)"/.exec(JSON.stringify(message))?.[1]);
    expect(reasons.slice(0, 5)).toEqual([
      'not_json',
      'not_an_object',
      'duplicate_key',
      'bad_tool_name',
      'too_large',
    ]);
    wire.socket.destroy();
  });

  it('cannot use one id for two concurrent calls', async () => {
    const wire = await openWire(session.socketOf('everything'));
    wire.send(initialize);
    await wire.answerTo(0);
    wire.send(
      call(1, 'trigger-long-running-operation', { duration: 1, steps: 1 }),
      call(1, 'echo', { message: 'second' }),
    );
    expect(JSON.stringify(await wire.answerTo(1))).toContain('Long running operation completed');
    const refusals = wire.received.filter((message) => JSON.stringify(message).includes('id_in_use'));
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).not.toHaveProperty('id');
    wire.socket.destroy();
  });

  it('cannot answer what no server requested, nor call without an id', async () => {
    const wire = await openWire(session.socketOf('everything'));
    wire.send({ jsonrpc: '2.0', id: 99, result: {} });
    wire.send({
      jsonrpc: '2.0',
      method: 'tools/call',
      params: { name: 'echo', arguments: { message: 'x' } },
    });
    await until(() => wire.received.length === 2, 'two refusals');
    expect(JSON.stringify(wire.received)).toMatch(/unknown_answer.*call_without_id/);
    wire.socket.destroy();
  });
});

it('counts refusals by reason, and neither log nor metrics hold content or keys', async () => {
  const metrics = await session.control('GET', '/metrics');
  expect(metrics.body).toContain('gatepost_gate_refusals_total{from="agent",reason="duplicate_key"} 1');
  expect(metrics.body).toContain('gatepost_tool_calls_total{server="files",outcome="permission_required"} 2');
  for (const hidden of [session.platform.token, 'never-written', 'not json', 'hello']) {
    expect(session.sidecarLog + metrics.body).not.toContain(hidden);
  }
});
