/**
 * An agent that exceeds its limits: its sidecar throttles reading, then refuses, and counts what it refused.
 */
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { bundlePrograms, type Programs } from './programs.ts';
import { TestSession, until } from './session.ts';
import { call, closeWires, initialize, openWire } from './wire.ts';

let programs: Programs;
let session: TestSession;

beforeAll(async () => {
  programs = await bundlePrograms();
});
afterEach(async () => {
  closeWires();
  await session.stop();
});

const start = async (limits: ConstructorParameters<typeof TestSession>[2]) => {
  session = await new TestSession(
    programs,
    {
      files: {
        command: process.execPath,
        args: ['test/integration/sidecar/recording-server.mjs', '/dev/null'],
        toolScopes: { write_file: 'files.write' },
      },
    },
    limits,
  ).start();
  return session;
};

describe('an agent that calls endlessly', () => {
  it('is refused beyond the calls of its session, and gated tools among them are counted by name', async () => {
    await start({ calls_per_session: 20 });
    const wire = await openWire(session.socketOf('platform'));
    wire.send(initialize);
    await wire.answerTo(0);
    const other = await openWire(session.socketOf('files'));
    other.send(initialize);
    await other.answerTo(0);
    for (let id = 1; id <= 200; id += 1) {
      wire.send(call(id, `unknown-${id}`));
    }
    await until(() => wire.received.length > 200, 'every answer');
    other.send(call('probe', 'write_file'));
    expect(JSON.stringify(await other.answerTo('probe'))).toContain('too_many_calls');
    await session.stopSidecar();
    // A report that is on its way when the sidecar stops is sent again; the platform stores each id once.
    const { calls, refusedCalls } = session.platform;
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(20);
    const counts = [...new Map(refusedCalls.map((each) => [each.count_id, each])).values()];
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(181);
    expect(counts).toContainEqual(
      expect.objectContaining({ server: 'files', tool: 'write_file', outcome: 'refused', count: 1 }),
    );
    expect(counts.length).toBeLessThan(25);
    expect(session.platform.checks).toEqual([]);
  });

  it('is throttled to its rate', async () => {
    await start({ calls_per_minute: 120 });
    const wire = await openWire(session.socketOf('platform'));
    wire.send(initialize);
    await wire.answerTo(0);
    const startedMs = performance.now();
    for (let id = 1; id <= 126; id += 1) {
      wire.send(call(id, 'unknown'));
    }
    await until(() => wire.received.length >= 127, 'every answer');
    // 120 at once, then one each half second.
    expect(performance.now() - startedMs).toBeGreaterThan(6 * 450);
  });
});

describe('an agent with many concurrent requests', () => {
  it('uploads a few artifacts concurrently, however many it begins, and all of them arrive', async () => {
    await start({ concurrent_uploads: 4 });
    session.platform.artifactMs = 50;
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        session.agentRequest('POST', `/artifact?name=a${index}`, Buffer.alloc(64 * 1024, index)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
    expect(session.platform.artifacts).toHaveLength(32);
    expect(session.platform.mostUploads).toBe(4);
  });

  it('has a limited number of calls wait for a human; the others are refused immediately, and no human is asked', async () => {
    await start({ concurrent_waits: 16 });
    const wire = await openWire(session.socketOf('platform'));
    wire.send(initialize);
    await wire.answerTo(0);
    for (let id = 1; id <= 50; id += 1) {
      wire.send(call(id, 'request_input', { prompt: `question ${id}`, wait_seconds: 300 }));
    }
    const refused = () => wire.received.filter((message) => JSON.stringify(message).includes('rate_limited'));
    await until(() => refused().length === 34, 'the refusals');
    await until(() => session.platform.events.length === 16, 'the questions');
    wire.send(call('more', 'emit_status', { status: 'still here' }));
    await until(() => session.platform.events.length === 17, 'the status');
  });

  it('sends 5,000 events ahead of the first answer: their connection is closed, and others are served', async () => {
    await start({ events_per_minute: 10_000 });
    const body = JSON.stringify({ type: 'agent.status', payload: { status: 'x' } });
    const head = `POST /event HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
    const socket = connect(session.httpSocket).on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume().write((head + body).repeat(5000));
    await closed;
    expect((await session.agentRequest('POST', '/event', body)).status).toBe(200);
    expect(session.platform.events.length).toBeLessThan(20);
  });

  it('publishes events at their rate: throttled first, then refused', async () => {
    await start({ events_per_minute: 20 });
    const publish = () =>
      session.agentRequest(
        'POST',
        '/event',
        JSON.stringify({ type: 'agent.status', payload: { status: 'x' } }),
      );
    const answers = await Promise.all(Array.from({ length: 30 }, publish));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(22);
    expect(answers.find(({ status }) => status === 429)?.body).toContain('The limit is 20 events a minute');
  });

  it('uploads artifacts at their rate: throttled first, then refused', async () => {
    await start({ artifacts_per_minute: 20 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => session.agentRequest('POST', `/artifact?name=a${at}`, 'x')),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(22);
    expect(answers.find(({ status }) => status === 429)?.body).toContain(
      'The limit is 20 artifacts a minute',
    );
  });

  it('sends bytes of any kind at their rate: throttled first, then refused', async () => {
    const perMinute = 6 * 1024 * 1024;
    await start({ sent_bytes_per_minute: perMinute, artifact_bytes: perMinute });
    const startedMs = performance.now();
    const large = await session.agentRequest('POST', '/artifact?name=a', Buffer.alloc(perMinute - 1000));
    expect(large.status).toBe(200);
    // What comes now is throttled: 100 KiB take a second.
    const more = await session.agentRequest('POST', '/artifact?name=b', Buffer.alloc(300 * 1024));
    expect(more.status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThan(2500);
    expect(session.platform.artifacts.map(({ bytes }) => bytes.length)).toEqual([
      perMinute - 1000,
      300 * 1024,
    ]);
    const publish = () =>
      session.agentRequest(
        'POST',
        '/event',
        JSON.stringify({ type: 'agent.message', payload: { text: 'x'.repeat(60_000) } }),
      );
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, publish),
      session.agentRequest('POST', '/artifact?name=c', Buffer.alloc(2 * 1024 * 1024)),
    ]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    expect(
      refused.map(({ body }) => body.includes(`The limit is ${perMinute} bytes a minute`)),
    ).not.toContain(false);
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
    expect(session.platform.artifacts).toHaveLength(2);
  });
});
