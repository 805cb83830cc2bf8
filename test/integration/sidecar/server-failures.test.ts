import { randomInt } from 'node:crypto';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { maxOutputBytes } from '../../../contract/process-reports.ts';
import type { ProcessClaim, ProcessReport } from '../../../contract/session-process.ts';
import { eventually } from '../../support/eventually.ts';
import { bundlePrograms, runnerCommand } from './programs.ts';
import { TestSession } from './session.ts';
import { call, closeWires, initialize, openWire, request } from './wire.ts';

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1' },
};
const node = (script: string) => ({ command: process.execPath, args: ['-e', script] });
const npxWithoutRegistry = `process.stdin.once('data', () => {
  process.stderr.write('npm error code EAI_AGAIN\\n', () => setTimeout(() => process.exit(1), 500)); });`;

/** Its limits are short. */
let session: TestSession;
let working: TestSession;

beforeAll(async () => {
  const programs = await bundlePrograms();
  const everything = { command: runnerCommand('mcp-server-everything'), args: [] };
  working = new TestSession(programs, { everything, silent: node('setInterval(() => {}, 1000)') });
  session = new TestSession(
    programs,
    {
      missing: { command: '/no/such/program', args: [] },
      unusable: { command: '/etc/passwd', args: [] },
      exits: { command: 'sh', args: ['-c', 'exit 7'] },
      killed: { command: 'sh', args: ['-c', 'kill -KILL $$'] },
      silent: node('setInterval(() => {}, 1000)'),
      patient: { ...node('setInterval(() => {}, 1000)'), handshakeTimeoutMs: 3000 },
      packages: { ...node(npxWithoutRegistry), loadsPackages: true },
      waiting: { ...node('setInterval(() => {}, 1000)'), loadsPackages: true },
      absent: { command: 'true', args: [], isAbsent: true },
      flooding: { command: 'true', args: [], isAbsent: true },
    },
    { server_connect_timeout_ms: 1500, server_handshake_timeout_ms: 1500 },
  );
  await Promise.all([session.start(), working.start()]);
});
afterEach(closeWires);
afterAll(() => Promise.all([session.stop(), working.stop()]));

const reportOf = (name: string, of = session): ProcessReport | undefined =>
  of.platform.processes.filter((each) => each.name === name).at(-1);
const untilReported = (name: string, expected: Partial<ProcessReport>, of = session) =>
  eventually(() => expect(reportOf(name, of)).toMatchObject(expected));

const claimsPath = (name: string, of: TestSession) => join(of.directory, 'servers', name, '.report.sock');
/** Writes to a report socket as the server's launcher, or the server itself, would. */
function tell(name: string, of: TestSession, ...lines: (ProcessClaim | string)[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(claimsPath(name, of));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
    socket.resume();
  });
}
const written = (text: string): ProcessClaim => ({
  type: 'output',
  base64: Buffer.from(text).toString('base64'),
  skipped_bytes: 0,
});

describe('a server that does not start', () => {
  it.each([
    ['missing', 'program_not_found', {}],
    ['unusable', 'program_not_executable', {}],
    ['exits', 'exited', { exit_code: 7, signal: null }],
    ['killed', 'exited', { exit_code: null, signal: 'SIGKILL' }],
    ['silent', 'handshake_timeout', {}],
    ['waiting', 'registry_unreachable', {}],
    ['absent', 'container_not_running', {}],
  ] as const)('fails its first request with its cause: %s', async (name, cause, ending) => {
    const wire = await openWire(session.socketOf(name));
    wire.send(initialize);
    expect(await wire.answerTo(0)).toMatchObject({
      error: { data: { code: 'server_unavailable', server: name, cause } },
    });
    await untilReported(name, { kind: 'server', state: 'failed', cause, handshake_ms: null, ...ending });
  });

  it('because its package manager reaches no registry is recognised by its output, which is passed on nowhere', async () => {
    const wire = await openWire(session.socketOf('packages'));
    wire.send(initialize);
    await tell('packages', session, written('npm error code EAI_AGAIN of-the-server\n'));
    const answer = await wire.answerTo(0);
    expect(answer).toMatchObject({ error: { data: { cause: 'registry_unreachable' } } });
    expect(JSON.stringify(answer)).not.toContain('of-the-server');
    expect(JSON.stringify(session.platform.events)).not.toContain('of-the-server');
    expect(session.sidecarLog).not.toContain('of-the-server');
  });

  it.each(['prompts/list', 'resources/read'])(
    'fails a %s that opens a connection in the same way, also when the server is silent',
    async (method) => {
      const wire = await openWire(session.socketOf('silent'));
      wire.send(request(6, method, { _meta: modernMeta, uri: 'a://b' }));
      expect(JSON.stringify(await wire.answerTo(6))).toContain('handshake_timeout');
    },
  );

  it('names the limit for its first answer', async () => {
    const wire = await openWire(session.socketOf('silent'));
    wire.send(initialize);
    expect(JSON.stringify(await wire.answerTo(0))).toContain('within 1.5 seconds, which is its limit');
  });

  it('waits as long as its entry says', async () => {
    const wire = await openWire(session.socketOf('patient'));
    wire.send(initialize);
    expect(JSON.stringify(await wire.answerTo(0))).toContain('within 3 seconds, which is its limit');
  });

  it('fails a call that opens a connection in the same way', async () => {
    const wire = await openWire(session.socketOf('absent'));
    wire.send(call(5, 'tool'));
    expect(JSON.stringify(await wire.answerTo(5))).toContain('container_not_running');
  });
});

describe('a server that works', () => {
  it('is reported as ready with its handshake time, and ends with its connection', async () => {
    const client = await working.connect('everything');
    await untilReported('everything', { state: 'ready', starts: 1, cause: null }, working);
    expect(reportOf('everything', working)?.handshake_ms).toBeGreaterThan(0);
    await client.close();
    await untilReported('everything', { state: 'ended', starts: 1, cause: null }, working);
    const again = await working.connect('everything');
    await untilReported('everything', { state: 'ready', starts: 2 }, working);
    await again.close();
  });
});

describe('a report on a report socket', () => {
  it('keeps the end of a process’s output, and its total size', async () => {
    const text = 'x'.repeat(15_000);
    await tell('absent', session, ...Array.from({ length: 6 }, () => written(text)), written('the end'));
    await eventually(() => {
      const output = session.platform.processes
        .filter(({ name }) => name === 'absent')
        .findLast((each) => each.output !== undefined)?.output;
      expect(output?.written_bytes).toBe(6 * text.length + 7);
      const bytes = Buffer.from(output?.base64 ?? '', 'base64');
      expect(bytes.length).toBe(maxOutputBytes);
      expect(bytes.toString().endsWith('xthe end')).toBe(true);
    });
  });

  it('cannot be about other processes, nor outside of the closed list', async () => {
    const before = session.platform.processes.length;
    await tell('missing', session, '{"type":"ended","exit_code":1,"signal":null,"name":"everything"}');
    await tell('missing', session, '{"type":"ready"}');
    await tell('missing', session, '{"type":"ended","exit_code":1000,"signal":null}');
    await tell('missing', session, '{"type":"ended","exit_code":null,"signal":"<b>"}');
    await tell('missing', session, 'x'.repeat(100_000));
    expect(session.platform.processes.length).toBe(before);
  });

  it('ends at a line that is too large, also if it is unfinished', async () => {
    const socket = createConnection(claimsPath('missing', session));
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const pour = () => socket.write('x'.repeat(20_000), (error) => error ?? pour());
    pour();
    await closed;
  });

  it.each([
    ['a line that is no claim', ['no claim']],
    ['claims before a line that is none', [written('a claim'), 'no claim', written('taken by nobody')]],
    ['a line that is too large', ['x'.repeat(100_000)]],
    ['several bad lines', ['{"type":"ready"}', '{', '[]']],
  ])('breaks nothing in the sidecar with %s', async (_what, lines) => {
    const before = session.sidecarLog;
    await tell('killed', session, ...lines);
    // A later claim was accepted, so the bad line has been processed.
    const end = randomInt(1, 256);
    await tell('killed', session, { type: 'ended', exit_code: end, signal: null });
    await untilReported('killed', { exit_code: end });
    expect(session.sidecarLog.slice(before.length)).toBe('');
  });

  it('shares one read rate over all connections, also of a process that reconnects repeatedly', async () => {
    const text = 'x'.repeat(12_000);
    const beganMs = performance.now();
    let isOver = false;
    const pour = async () => {
      while (!isOver) {
        await tell('flooding', session, written(text), written(text), 'no claim');
        await sleep(5);
      }
    };
    const pouring = Promise.all(Array.from({ length: 8 }, pour));
    await sleep(5000);
    isOver = true;
    await pouring;
    const seconds = (performance.now() - beganMs) / 1000;
    await tell('flooding', session, { type: 'ended', exit_code: 98, signal: null });
    await untilReported('flooding', { exit_code: 98 });
    const taken = session.platform.processes
      .filter(({ name, output }) => name === 'flooding' && output !== undefined)
      .at(-1)?.output?.written_bytes;
    expect(taken).toBeGreaterThan(text.length);
    // In base64 each byte costs more than one of the 256 KiB a second.
    expect(taken).toBeLessThan(256 * 1024 * (seconds + 1));
  });

  it('is held back where it is sent while it is throttled, also when its bytes come one by one', async () => {
    const socket = createConnection(claimsPath('flooding', session));
    const lost = jest.fn();
    socket.on('error', lost);
    const claims = '{"type":"ready"}\n'.repeat(3000);
    await new Promise((resolve) => socket.write(claims, resolve));
    await sleep(500);
    let sent = 0;
    for (let waited = 0; waited < 50 && sent < 10_000; waited += 1) {
      while (socket.writableLength === 0 && sent < 10_000) {
        socket.write('x');
        sent += 1;
      }
      await sleep(10);
    }
    expect(lost).not.toHaveBeenCalled();
    expect(sent).toBeLessThan(5000);
    socket.destroy();
  });

  it('is throttled when it is too much, and delays nothing else', async () => {
    const flood = tell('silent', working, ...Array.from({ length: 2000 }, () => written('flood')));
    const client = await working.connect('everything');
    expect((await client.callTool({ name: 'echo', arguments: { message: 'hi' } })).isError).toBeFalsy();
    await client.close();
    await flood;
    const ofSilent = working.platform.processes.filter(({ name }) => name === 'silent');
    expect(ofSilent.length).toBeLessThan(100);
  });

  it('is passed on increasingly rarely when it changes endlessly', async () => {
    const socket = createConnection(claimsPath('unusable', session));
    socket.on('error', () => undefined).resume();
    const before = session.platform.processes.filter(({ name }) => name === 'unusable').length;
    const beganMs = performance.now();
    for (let code = 0; performance.now() - beganMs < 15_000; code = (code + 1) % 256) {
      socket.write(`${JSON.stringify({ type: 'ended', exit_code: code, signal: null })}\n`);
      await sleep(100);
    }
    const seconds = (performance.now() - beganMs) / 1000;
    const reported = session.platform.processes.filter(({ name }) => name === 'unusable').length - before;
    // Without a bound it would be three a second.
    expect(reported).toBeGreaterThan(10);
    expect(reported).toBeLessThan(21 + seconds / 5 + 3);
    // The last state still arrives.
    socket.end(`${JSON.stringify({ type: 'ended', exit_code: 99, signal: null })}\n`);
    await untilReported('unusable', { exit_code: 99 });
  });
});
