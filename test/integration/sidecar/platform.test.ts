import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { createParser } from 'eventsource-parser';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import { controlKey, signControlRequest } from '../../../contract/session-keys.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession, until, userMessage } from './session.ts';

let session: TestSession;
let client: Client;
let nextSeq = 1;

beforeAll(async () => {
  session = new TestSession(
    await bundlePrograms(),
    {},
    { artifact_bytes: 2000, inline_artifact_bytes: 1000 },
  );
  await session.start();
  client = await session.connect('platform');
});
afterAll(() => session.stop());
beforeEach(() => {
  session.platform.events.length = 0;
  session.platform.requests.length = 0;
});

const send = async (text: string, more: Partial<InputMessage> = {}) => {
  const message = { ...userMessage(nextSeq, text), ...more };
  nextSeq += 1;
  expect(await session.inject(message)).toMatchObject({ status: 200 });
  return message;
};
const tool = (name: string, args: Record<string, unknown> | undefined) =>
  client.callTool({ name, arguments: args });
const errorOf = async (name: string, args: Record<string, unknown> | undefined) => {
  const result = await tool(name, args);
  expect(result.isError).toBe(true);
  return result._meta?.['platform/error'];
};
const asksForWrite = {
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  justification: 'to write',
};

describe('the tools of the platform server', () => {
  it('are listed with input and output schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'emit_artifact',
      'emit_error',
      'emit_status',
      'end_session',
      'request_grant',
      'request_input',
      'request_permission',
      'share',
    ]);
    expect(tools.every(({ inputSchema, outputSchema }) => inputSchema && outputSchema)).toBe(true);
  });

  it('publish events, answer with text and structured content, and are recorded', async () => {
    const result = await tool('emit_status', { status: 'reading', detail: 'a file' });
    expect(session.platform.events).toEqual([
      { id: expect.any(String), type: 'agent.status', payload: { status: 'reading', detail: 'a file' } },
    ]);
    const [text] = result.content;
    expect(result.structuredContent).toEqual({ event_id: session.platform.events[0]?.id });
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual(result.structuredContent);
    expect(await session.recordOf('platform', 'emit_status')).toMatchObject({ outcome: 'ok' });
  });

  it('serve clients of the newer revision too', async () => {
    const modern = await session.connect('platform', 'auto');
    expect(
      (await modern.callTool({ name: 'emit_error', arguments: { message: 'm', fatal: true } })).isError,
    ).toBeFalsy();
    expect(session.platform.events[0]).toMatchObject({
      type: 'agent.error',
      payload: { code: null, fatal: true },
    });
    await modern.close();
  });

  it('store artifacts up to their limit', async () => {
    await tool('emit_artifact', { name: 'a.txt', mime_type: 'text/plain', text: 'héllo' });
    await tool('emit_artifact', { name: 'b', mime_type: 'x/y', base64: 'AAEC', description: 'd' });
    expect(
      session.platform.artifacts.map(({ query, bytes }) => [query['name'], query['description'], bytes]),
    ).toEqual([
      ['a.txt', undefined, Buffer.from('héllo')],
      ['b', 'd', Buffer.from([0, 1, 2])],
    ]);
    const tooLong = { name: 'c', mime_type: 'x/y', text: 'x'.repeat(1001) };
    expect(await errorOf('emit_artifact', tooLong)).toMatchObject({ code: 'too_large' });
    expect(await errorOf('emit_artifact', { name: 'c', mime_type: 'x/y' })).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('ask the user, wait for the answer, or continue without it', async () => {
    const pending = tool('request_input', { prompt: 'which?', options: ['a', 'b'], wait_seconds: 20 });
    await until(() => session.platform.events.length > 0, 'the question');
    const { payload } = session.platform.events[0] as { payload: { input_request_id: string } };
    await send('b', { kind: 'input_answer', input_request_id: payload.input_request_id });
    expect((await pending).structuredContent).toEqual({
      input_request_id: payload.input_request_id,
      answer: 'b',
    });
    const unanswered = await tool('request_input', { prompt: 'and now?' });
    expect(unanswered.structuredContent).not.toHaveProperty('answer');
    expect(unanswered.structuredContent).toMatchObject({
      next_step: expect.stringMatching(/Do not ask again: .* arrives as a message/),
    });
  });

  it('share with the workspace, and offer nothing else', async () => {
    const result = await tool('share', { text: 'result', title: 'T', audience: 'workspace' });
    expect(result.structuredContent).toMatchObject({ share_id: expect.any(String), url: expect.any(String) });
    expect(session.platform.events[0]).toMatchObject({
      type: 'agent.shared',
      payload: { audience: 'workspace' },
    });
    const { tools } = await client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'share') ?? {};
    expect(JSON.stringify(inputSchema?.properties)).toContain('"workspace"');
    expect(JSON.stringify(inputSchema)).not.toContain('link');
    expect(await errorOf('share', { text: 'x', title: 'T', audience: 'link' })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('audience: '),
    });
  });

  it('end the session', async () => {
    await tool('end_session', { outcome: 'completed', summary: 'done' });
    expect(session.platform.ends).toEqual([{ outcome: 'completed', summary: 'done' }]);
  });

  it.each<[string, string, Record<string, unknown> | undefined, string]>([
    ['an unknown field', 'emit_status', { status: 'x', more: 1 }, 'more'],
    ['a missing field', 'request_input', { options: ['a', 'b'] }, 'prompt'],
    ['another missing field', 'emit_artifact', { name: 'a.txt', text: 'x' }, 'mime_type'],
    ['a missing field of a request', 'request_grant', { ...asksForWrite, scope: undefined }, 'scope'],
    ['a type of grant that is none', 'request_grant', { ...asksForWrite, grant_type: 'x' }, 'grant_type'],
    ['a scope that is none', 'request_permission', { ...asksForWrite, scope: 'always' }, 'scope'],
    ['no arguments', 'request_grant', undefined, 'grant_type'],
  ])('refuse %s and name it', async (_what, name, args, field) => {
    const before = session.platform.artifacts.length;
    expect(await errorOf(name, args)).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(field),
      next_steps: expect.arrayContaining([expect.any(String)]),
    });
    expect(session.platform.events).toEqual([]);
    expect(session.platform.requests).toEqual([]);
    expect(session.platform.artifacts).toHaveLength(before);
  });
});

describe('the agent socket', () => {
  it('publishes the four kinds of event, and a permission request as request_grant does', async () => {
    const event = { type: 'agent.message', payload: { text: 'hello' } };
    expect(await session.agentRequest('POST', '/event', JSON.stringify(event))).toMatchObject({
      status: 200,
    });
    expect(session.platform.events[0]).toMatchObject({
      type: 'agent.message',
      payload: { text: 'hello', channel: null },
    });
    const asking = { type: 'agent.permission_request', payload: asksForWrite };
    const answer = await session.agentRequest('POST', '/event', JSON.stringify(asking));
    expect(JSON.parse(answer.body)).toEqual({
      request_id: session.platform.requests[0]?.request_id,
      status: 'sent',
    });
  });

  it('tells what the agent writes, and publishes the message under the id that was told', async () => {
    session.platform.liveTexts.length = 0;
    const write = (text: unknown) => session.agentRequest('POST', '/live-text', JSON.stringify({ text }));
    expect(await write('I\u001b[2J fou')).toMatchObject({ status: 200 });
    await until(() => session.platform.liveTexts.length > 0, 'the piece');
    expect(session.platform.liveTexts[0]?.text).toBe('I[2J fou');
    expect(await write(1)).toMatchObject({ status: 422 });
    const event = { type: 'agent.message', payload: { text: 'I[2J found three' } };
    const { body } = await session.agentRequest('POST', '/event', JSON.stringify(event));
    expect(JSON.parse(body)).toEqual({ event_id: session.platform.liveTexts[0]?.message_id });
    expect(session.platform.events).toMatchObject([{ payload: { text: 'I[2J found three' } }]);
  });

  it.each([
    [
      'an event that is the platform’s own',
      'POST',
      '/event',
      '{"type":"permission.decided","payload":{}}',
      422,
      'validation_failed',
    ],
    [
      'an event with an id of its own',
      'POST',
      '/event',
      '{"type":"agent.status","payload":{"status":"x"},"id":"1"}',
      422,
      'validation_failed',
    ],
    [
      'a request with wrong details',
      'POST',
      '/event',
      JSON.stringify({ type: 'agent.permission_request', payload: { ...asksForWrite, details: {} } }),
      422,
      'validation_failed',
    ],
    ['no JSON', 'POST', '/event', 'hello', 400, 'malformed_request'],
    ['a body over the limit', 'POST', '/event', 'x'.repeat(1024 * 1024 + 1), 413, 'too_large'],
    ['the control port’s path', 'POST', '/inject', '{}', 404, 'not_found'],
    ['another method', 'GET', '/event', '', 404, 'not_found'],
    ['an artifact without a name', 'POST', '/artifact', 'x', 422, 'validation_failed'],
    ['an artifact over the limit', 'POST', '/artifact?name=big', 'x'.repeat(2001), 413, 'too_large'],
  ])('refuses %s', async (_title, method, path, body, status, code) => {
    const answer = await session.agentRequest(method, path, body);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { error: { code } }]);
    expect(session.platform.events).toEqual([]);
  });

  it('streams an artifact through', async () => {
    const bytes = Buffer.alloc(2000, 7);
    const answer = await session.agentRequest('POST', '/artifact?name=a.bin&mime_type=x/y', bytes);
    expect(JSON.parse(answer.body)).toMatchObject({ size_bytes: 2000 });
    expect(session.platform.artifacts.at(-1)?.bytes).toEqual(bytes);
  });

  it('streams messages from the first on, and resumes after the last one that was read', async () => {
    const first = await send('one');
    const second = await send('two');
    const all = await readInput('0', nextSeq - 1);
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: nextSeq - 1 }, (_, index) => index + 1));
    const resumed = readInput(String(first.seq), 2);
    const third = await send('three');
    expect((await resumed).map(({ id }) => id)).toEqual([second.id, third.id]);
  });
});

describe('the control port', () => {
  it('accepts a message once, and refuses a gap so that the platform resends', async () => {
    const message = await send('again');
    expect(JSON.parse((await session.inject(message)).body)).toEqual({ ok: true, last_seq: message.seq });
    expect(await session.inject(userMessage(nextSeq + 5, 'too early'))).toMatchObject({ status: 409 });
  });

  it.each(['POST /inject', 'GET /health', 'GET /metrics', 'GET /else'])(
    'refuses %s without the key',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const signedBy = (key: string, body = '', atMs = Date.now()) =>
        signControlRequest(key, { method, path, body, atMs });
      const key = controlKey(Buffer.alloc(32, 7), session.id);
      const forged = [
        'nonsense',
        signedBy(controlKey(Buffer.alloc(32, 7), randomUUID())),
        signedBy(key, 'another body'),
        signedBy(key, '', Date.now() - 120_000),
      ];
      for (const header of forged) {
        expect(await session.control(method, path, '', header)).toMatchObject({ status: 401 });
      }
    },
  );

  it('answers a forged head before any of the body came, and reads a body only when its head was signed', async () => {
    const key = controlKey(Buffer.alloc(32, 7), session.id);
    const head = { method: 'POST', path: '/inject', atMs: Date.now() };
    const signed = signControlRequest(key, { ...head, body: 'x'.repeat(1000) });
    const forged = signed.replace('.1000.', '.1000000.');
    expect(forged).not.toBe(signed);
    expect(await headOnly(forged, 1_000_000)).toMatch(/^HTTP\/1.1 401 /);
    expect(await headOnly('', 1_000_000)).toMatch(/^HTTP\/1.1 401 /);
    const tooLarge = signControlRequest(key, { ...head, body: Buffer.alloc(33 * 1024 * 1024) });
    expect(await headOnly(tooLarge, 33 * 1024 * 1024)).toMatch(/^HTTP\/1.1 413 /);
    const { status } = await session.control('POST', '/inject', 'y'.repeat(1000), signed);
    expect(status).toBe(401);
  });

  it('serves nothing else', async () => {
    expect(await session.control('GET', '/else')).toMatchObject({ status: 404 });
  });
});

it('keeps its keys in memory: no file, argument, environment or log holds them', async () => {
  const { pid } = session.sidecar ?? {};
  const shown = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  );
  const key = controlKey(Buffer.alloc(32, 7), session.id);
  for (const secret of [session.platform.token, key]) {
    expect(shown.join('\n') + session.sidecarLog).not.toContain(secret);
  }
});

it('owns its sockets, closed to other users', async () => {
  for (const path of ['agent/mcp/platform.sock', 'agent/agent/sidecar.sock']) {
    expect((await stat(join(session.directory, path))).mode & 0o007).toBe(0);
  }
});

/** Sends the head of a request without its body; returns the answer's first line. */
function headOnly(header: string, length: number): Promise<string> {
  const { hostname, port } = new URL(session.platform.controlUrl ?? '');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /inject HTTP/1.1\r\nHost: sidecar\r\nX-Control-Request: ${header}\r\nContent-Length: ${length}\r\n\r\n`,
      );
    });
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n')[0] ?? '');
    });
    socket.on('error', reject);
  });
}

/** Reads messages from `GET /input` until there are `count`. */
function readInput(lastEventId: string, count: number): Promise<InputMessage[]> {
  return new Promise((resolve, reject) => {
    const headers = { 'last-event-id': lastEventId };
    const reading = request(
      { socketPath: session.httpSocket, path: '/input', headers, agent: false },
      (response) => {
        const messages: InputMessage[] = [];
        const parser = createParser({ onEvent: ({ data }) => messages.push(JSON.parse(data)) });
        response.setEncoding('utf8').on('data', (chunk: string) => {
          parser.feed(chunk);
          if (messages.length >= count) {
            resolve(messages);
            reading.destroy();
          }
        });
      },
    );
    reading.on('error', reject);
    reading.end();
  });
}
