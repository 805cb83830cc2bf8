/**
 * The very call that was refused: named in its check, sent with the request that
 * follows, and left nowhere else.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { sha256OfCall } from '../../../contract/call-digest.ts';
import type { CheckAnswer } from '../../../contract/sidecar.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession } from './session.ts';
import { call, closeWires, initialize, openWire, request, type Wire } from './wire.ts';

const script = fileURLToPath(new URL('recording-server.mjs', import.meta.url));
const toolScopes = { write: 'files.write', remove: 'files.remove' };
const refused: CheckAnswer = { decision: 'refused', code: 'permission_required', scope: 'files.write' };
let session: TestSession;
let platform: Client;
let wire: Wire;
let nextId = 0;

beforeAll(async () => {
  const server = { command: process.execPath, args: [script, '/dev/null'], toolScopes };
  session = new TestSession(await bundlePrograms(), {
    files: { ...server, entryVersion: 7 },
    other: { ...server, entryVersion: 7 },
  });
  await session.start();
  platform = await session.connect('platform');
});
beforeEach(async () => {
  session.platform.checks.length = 0;
  session.platform.requests.length = 0;
  session.platform.onCheck = () => refused;
  wire = await open('files');
});
afterEach(closeWires);
afterAll(() => session.stop());

const open = async (server: string) => {
  const opened = await openWire(session.socketOf(server));
  opened.send(initialize);
  await opened.answerTo(0);
  return opened;
};
/** Sends a line with these arguments, exactly as they are written; returns the answer. */
const make = async (args: string | null, { to = wire, tool = 'write', more = '' } = {}) => {
  nextId += 1;
  const written = args === null ? '' : `,"arguments":${args}`;
  to.send(
    `{"jsonrpc":"2.0","id":${nextId},"method":"tools/call","params":{"name":"${tool}"${written}${more}}}`,
  );
  return JSON.stringify(await to.answerTo(nextId));
};
const hashOf = (argumentsText: string, { server = 'files', tool = 'write' } = {}) =>
  sha256OfCall({ server, tool, entryVersion: 7, argumentsText });
const hashesAsked = () => session.platform.checks.map((check) => check.call_sha256);
const asking = (scope = 'files.write') => ({
  grant_type: 'tool_scope',
  details: { scope },
  scope: 'once',
  justification: 'please',
});
/** Asks for a grant; returns what was sent as the refused call. */
const ask = async (scope?: string) => {
  await platform.callTool({ name: 'request_grant', arguments: asking(scope) });
  return session.platform.requests.at(-1)?.refused_call;
};
const reported = (text: string, { server = 'files', tool = 'write' } = {}) => ({
  ...{ server, tool },
  arguments: text,
  arguments_size_bytes: Buffer.byteLength(text),
});
const ofLength = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;

describe('the check of a gated call', () => {
  it('names the call by its meaning, however its arguments are written', async () => {
    await make('{"path":"/a","n":1.0}');
    await make('{ "n" : 1.0 , "p\\u0061th" : "\\/a" }');
    // A long line, which is parsed in turns.
    await make(`{"path":"/a",${' '.repeat(20_000)}"n":1.0}`);
    expect(hashesAsked()).toEqual(Array(3).fill(hashOf('{"n":1.0,"path":"/a"}')));
  });

  it('names every other call otherwise', async () => {
    const other = await open('other');
    await make('{"n":9007199254740993}');
    await make('{"n":9007199254740992}');
    await make('{"n":9007199254740993,"more":1}');
    await make('{"n":9007199254740993}', { tool: 'remove' });
    await make('{"n":9007199254740993}', { to: other });
    await make('{}');
    await make(null);
    expect(hashesAsked()).toEqual([
      hashOf('{"n":9007199254740993}'),
      hashOf('{"n":9007199254740992}'),
      hashOf('{"more":1,"n":9007199254740993}'),
      hashOf('{"n":9007199254740993}', { tool: 'remove' }),
      hashOf('{"n":9007199254740993}', { server: 'other' }),
      hashOf('{}'),
      hashOf('null'),
    ]);
    expect(new Set(hashesAsked()).size).toBe(7);
  });

  it('names none with more than 16 KiB of arguments, or with more than arguments', async () => {
    await make(ofLength(16_385));
    await make(ofLength(1_000_000));
    await make('{}', { more: ',"options":{"force":true}' });
    expect(hashesAsked()).toEqual([undefined, undefined, undefined]);
  });

  it('is not made for a tool that no scope gates', async () => {
    expect(await make('{"a":1}', { tool: 'read' })).toContain('"result":{}');
    expect(session.platform.checks).toEqual([]);
  });
});

describe('a request for a permission', () => {
  it('shows the call of its scope that was refused last', async () => {
    await make('{"a":1}');
    await make('{"gone":true}', { tool: 'remove' });
    await make('{"b":2, "a":9007199254740993}');
    expect(await ask()).toEqual(reported('{"a":9007199254740993,"b":2}'));
    expect(await ask('files.remove')).toEqual(reported('{"gone":true}', { tool: 'remove' }));
    expect(await ask('files.other')).toBeNull();
    await make('{"c":3}', { to: await open('other') });
    expect(await ask()).toEqual(reported('{"c":3}', { server: 'other' }));
    await make(null);
    expect(await ask()).toEqual(reported('null'));
  });

  it('is the same by request_permission and by an event', async () => {
    await make('{"text":"\\u200b"}');
    const expected = reported('{"text":"\u200b"}');
    const waiting = { ...asking(), wait_seconds: 0 };
    await platform.callTool({ name: 'request_permission', arguments: waiting });
    const event = { type: 'agent.permission_request', payload: asking() };
    await session.agentRequest('POST', '/event', JSON.stringify(event));
    expect(session.platform.requests.map(({ refused_call }) => refused_call)).toEqual([expected, expected]);
  });

  it('shows only the size of more than 16 KiB, and nothing of arguments that do not say all', async () => {
    await make(ofLength(16_384));
    expect(await ask()).toEqual(reported(ofLength(16_384)));
    await make(ofLength(16_385));
    expect(await ask()).toEqual({ server: 'files', tool: 'write', arguments_size_bytes: 16_385 });
    await make('{}', { more: ',"options":{"force":true}' });
    expect(await ask()).toEqual({ server: 'files', tool: 'write' });
  });

  it('is repeated as it was, although another call was refused in between', async () => {
    const { onRequest } = session.platform;
    await make('{"first":1}');
    session.platform.onRequest = async () => {
      session.platform.onRequest = onRequest;
      await make('{"second":2}');
      return null;
    };
    expect(await ask()).toEqual(reported('{"first":1}'));
    const [one, again] = session.platform.requests;
    expect(session.platform.requests).toHaveLength(2);
    expect(again).toEqual(one);
    expect(await ask()).toEqual(reported('{"second":2}'));
  });

  it('is forgotten by the next sidecar, which has seen no refusal', async () => {
    const other = new TestSession(await bundlePrograms(), {
      files: { command: process.execPath, args: [script, '/dev/null'], toolScopes, entryVersion: 7 },
    });
    try {
      await other.start();
      const there = await openWire(other.socketOf('files'));
      there.send(initialize, call(1, 'write', { a: 1 }));
      await there.answerTo(1);
      await other.stopSidecar();
      await other.startSidecar();
      const event = { type: 'agent.permission_request', payload: asking() };
      await other.agentRequest('POST', '/event', JSON.stringify(event));
      expect(other.platform.requests).toMatchObject([{ refused_call: null }]);
    } finally {
      await other.stop();
    }
  });
});

it('a call that differs from the one that was approved is told so, and what to do', async () => {
  session.platform.onCheck = () => ({ ...refused, differs_from_approved: true });
  // Several at once share a request.
  wire.send(...['a', 'b', 'c'].map((id) => request(id, 'tools/call', { name: 'write', arguments: { id } })));
  for (const id of ['a', 'b', 'c']) {
    const { result } = (await wire.answerTo(id)) as {
      result: { content: { text: string }[]; _meta: Record<string, unknown> };
    };
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result._meta['platform/error']);
    expect(result._meta['platform/error']).toMatchObject({
      code: 'permission_required',
      differs_from_approved: true,
      message: expect.stringContaining('differs from it in its arguments'),
      next_steps: expect.arrayContaining([expect.stringContaining('exactly the call that was approved')]),
    });
  }
  expect(await ask()).toEqual(reported('{"id":"c"}'));
});

it('a call that nobody approved differs from nothing', async () => {
  session.platform.onCheck = () => refused;
  wire.send(request('a', 'tools/call', { name: 'write', arguments: {} }));
  const { result } = (await wire.answerTo('a')) as { result: { _meta: Record<string, unknown> } };
  expect(result._meta['platform/error']).not.toHaveProperty('differs_from_approved');
});

it('leaves the arguments in no log, file, metric, record or event', async () => {
  const secret = 'sesame-of-the-refused-call';
  await make(`{"text":"${secret}"}`);
  expect(await ask()).toEqual(reported(`{"text":"${secret}"}`));
  await session.recordOf('files', 'write', 'permission_required');
  await session.recordOf('platform', 'request_grant', 'ok');
  const { checks, calls, events, refusedCalls } = session.platform;
  const names = await readdir(session.directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.filter((file) => file.includes('audit'))).not.toEqual([]);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const metrics = await session.control('GET', '/metrics');
  const everything = [session.sidecarLog, metrics.body, ...texts, { checks, calls, events, refusedCalls }];
  expect(JSON.stringify(everything)).not.toContain(secret);
  const hash = hashOf(`{"text":"${secret}"}`);
  expect(JSON.stringify([session.sidecarLog, metrics.body, texts, calls, events])).not.toContain(hash);
});
