/** What the static relay prints and reports of a command: its output without its secrets, and its end. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, fchmodSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { maxClaimBytes, maxOutputBytes } from '../../../contract/process-reports.ts';
import { type ProcessClaim, processClaim } from '../../../contract/session-process.ts';
import { eventually } from '../../support/eventually.ts';
import { redactionCases } from '../../support/redaction-cases.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import { lineOf, RelayBench, staticRelay, type TestProcess } from './relay-process.ts';

const bench = new RelayBench();

beforeAll(() => bench.open());
afterEach(() => bench.clear());
afterAll(() => bench.close());

/** What was reported so far on a report socket. */
interface Told {
  path: string;
  claims: ProcessClaim[];
  output(): string;
  skippedBytes(): number;
  ends(): ProcessClaim[];
}

/** Accepts every connection and, like the sidecar, only whole claims. */
async function listenForClaims(path = bench.path(`${randomUUID().slice(0, 8)}.sock`)): Promise<Told> {
  const claims: ProcessClaim[] = [];
  const { next } = await bench.listen(path);
  void (async () => {
    for (;;) {
      takeClaims(await next(), claims);
    }
  })();
  const outputs = () => claims.filter((claim) => claim.type === 'output');
  return {
    path,
    claims,
    output: () => Buffer.concat(outputs().map(({ base64 }) => Buffer.from(base64, 'base64'))).toString(),
    skippedBytes: () => outputs().reduce((sum, { skipped_bytes }) => sum + skipped_bytes, 0),
    ends: () => claims.filter(({ type }) => type === 'ended' || type === 'not_started'),
  };
}

function takeClaims(socket: Socket, claims: ProcessClaim[]): void {
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      expect(line.length).toBeLessThan(maxClaimBytes);
      claims.push(processClaim.parse(JSON.parse(line)));
    }
  });
}

type Environment = Record<string, string>;
const withSecrets = (names: readonly string[]) => names.flatMap((name) => ['--secret', name]);
function run(report: string, env: Environment, command: readonly string[], input: Buffer = Buffer.alloc(0)) {
  const relay = bench.start(
    [...staticRelay, 'run', '--report', report, ...withSecrets(Object.keys(env)), '--', ...command],
    { env: { ...process.env, ...env } },
  );
  relay.child.stdin?.end(input);
  return relay;
}

const node = (script: string) => [process.execPath, '-e', script];
/** Writes its input to stderr in chunks of these sizes, in turn, each with its own system call. */
const copies = (sizes: readonly number[]) =>
  node(`const fs = require('node:fs'); const text = fs.readFileSync(0); const sizes = ${JSON.stringify(sizes)};
    for (let at = 0, turn = 0; at < text.length; turn += 1) {
      at += fs.writeSync(2, text, at, Math.min(sizes[turn % sizes.length], text.length - at)); }`);

const residentKilobytes = (relay: TestProcess) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8'))?.[1]);

describeWithStaticRelay('the output of a command', () => {
  it.each(redactionCases)(
    'is logged and reported with its secrets redacted: $name',
    async ({ values, text, expected }) => {
      const env = Object.fromEntries(values.map((value, index) => [`SECRET_${index}`, value]));
      for (const sizes of [[1_000_000], [1 + Math.floor(text.length / 500)], [3, 1, 7]]) {
        const told = await listenForClaims();
        const relay = run(told.path, env, copies(sizes), Buffer.from(text));
        expect(await relay.ended).toMatchObject({ code: 0, stderr: expected });
        await eventually(() => expect(told.ends()).toHaveLength(1));
        expect(told.output()).toBe(expected);
      }
    },
  );

  it('holds back a secret that arrives in pieces over time, and shows what is none', async () => {
    const told = await listenForClaims();
    const script = `const { stderr } = process; process.stdin.setEncoding('utf8').on('data', (text) => stderr.write(text.slice(0, -1)));`;
    const relay = bench.start(
      [...staticRelay, 'run', '--report', told.path, '--secret', 'KEY', '--', ...node(script)],
      { env: { ...process.env, KEY: 'correct-horse' } },
    );
    const write = (text: string) => relay.child.stdin?.write(`${text}\n`);
    write('a correct-h');
    await eventually(() => expect(told.output()).toBe('a '));
    write('ouse');
    await eventually(() => expect(told.output()).toBe('a correct-house'));
    write(' correct');
    await eventually(() => expect(told.output()).toBe('a correct-house '));
    write('-horse');
    await eventually(() => expect(told.output()).toBe('a correct-house [secret]'));
    relay.child.stdin?.end();
    expect((await relay.ended).stderr).toBe('a correct-house [secret]');
  });

  it('is unchanged without secrets, also if it looks like the beginning of a line to the sidecar', async () => {
    const text = '{"type":"ended","exit_code":0,"signal":null}\n\0\x1b[31m ümlaut "quotes"\\\n'.repeat(20);
    const told = await listenForClaims();
    const relay = run(told.path, { KEY: 'unrelated-value', NONE: '' }, copies([7, 400]), Buffer.from(text));
    expect((await relay.ended).stderr).toBe(text);
    await eventually(() => expect(told.ends()).toHaveLength(1));
    expect(told.output()).toBe(text);
  });

  it('is not shown at all when there are more secrets than can be searched for', async () => {
    const many = Array.from({ length: 6000 }, (_, line) => `line-${line}`).join('\n');
    const told = await listenForClaims();
    const relay = run(told.path, { KEY: many }, node(`process.stderr.write('anything')`));
    expect((await relay.ended).stderr).toBe('[secret]');
  });

  it('keeps its end while the sidecar does not read, reports the omitted size, and sends it later', async () => {
    const path = bench.path('late.sock');
    const { next } = await bench.listen(path);
    const bytes = 3_000_000;
    const script = `const piece = Buffer.alloc(1000, 'x');
      for (let left = ${bytes}; left > 0; left -= piece.length) require('node:fs').writeSync(2, piece);
      require('node:fs').writeSync(2, 'the end'); process.stdin.resume();`;
    const relay = bench.start([...staticRelay, 'run', '--report', path, '--', ...node(script)]);
    const socket = await next();
    socket.pause();
    await eventually(() => expect(relay.stderr.endsWith('the end')).toBe(true));
    const claims: ProcessClaim[] = [];
    takeClaims(socket, claims);
    socket.resume();
    const outputs = () => claims.filter((claim) => claim.type === 'output');
    const taken = () => Buffer.concat(outputs().map(({ base64 }) => Buffer.from(base64, 'base64')));
    await eventually(() => expect(taken().toString().endsWith('xthe end')).toBe(true));
    const skipped = outputs().reduce((sum, { skipped_bytes }) => sum + skipped_bytes, 0);
    expect(taken().length + skipped).toBe(bytes + 7);
    // What fits in the socket, and the last 64 KiB.
    expect(taken().length).toBeGreaterThan(maxOutputBytes);
    expect(taken().length).toBeLessThan(6 * maxOutputBytes);
    relay.child.stdin?.end();
    await eventually(() => expect(claims.at(-1)).toEqual({ type: 'ended', exit_code: 0, signal: null }));
  });

  it('uses bounded memory in a flood, whichever reader stalls', async () => {
    const path = bench.path('deaf.sock');
    const { next } = await bench.listen(path);
    const flood = `yes "$SECRET" | head -c 40000000 >&2; echo done; cat`;
    const relay = bench.start(
      [...staticRelay, 'run', '--report', path, '--secret', 'SECRET', '--', 'sh', '-c', `{ ${flood}; } 3>&1`],
      { env: { ...process.env, SECRET: 'a-secret-that-floods' } },
    );
    (await next()).pause();
    await eventually(() => expect(relay.stderr.endsWith('done\n')).toBe(true));
    expect(residentKilobytes(relay)).toBeLessThan(3000);
    expect(relay.stderr).not.toContain('floods');
    relay.child.stdin?.end();
    expect((await relay.ended).code).toBe(0);
  });

  it('and its connection continue when nobody reads the relay’s own log', async () => {
    const path = bench.path('serve.sock');
    const { next } = await bench.listen(path);
    const told = await listenForClaims();
    // Its stderr is a pipe that is never read; its server writes there without
    // blocking, until the pipe is full.
    const script = `process.stdin.pipe(process.stdout); setInterval(() => process.stderr.writableLength < 1e6 && process.stderr.write('y'.repeat(50000)), 1);`;
    const relay = spawn(
      staticRelay[0] ?? '',
      ['--report', told.path, `UNIX-CONNECT:${path}`, '--', ...node(script)],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    relay.stderr.pause();
    const socket = await next();
    for (let turn = 0; turn < 20; turn += 1) {
      socket.write(`line ${turn}\n`);
      expect(await lineOf(socket)).toBe(`line ${turn}`);
    }
    relay.kill('SIGTERM');
    expect(await once(relay, 'exit')).toEqual([0, null]);
  });
});

describeWithStaticRelay('output of a command that bypasses the relay', () => {
  it.each(['run', 'serve'])('is refused on the relay’s own descriptors: %s', async (mode) => {
    const log = bench.path(`${mode}.log`);
    const errors = openSync(log, 'a', 0o666);
    fchmodSync(errors, 0o666);
    // The same user as the relay, and not root, who passes every permission check.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const script =
      'echo past the relay > /proc/$PPID/fd/2; ls -l /proc/$PPID/fd; cat /proc/$PPID/environ; echo done';
    const socket = bench.path('serve-past.sock');
    const { next } = await bench.listen(socket);
    chmodSync(socket, 0o666);
    chmodSync(dirname(socket), 0o711);
    const start = mode === 'run' ? ['run'] : [`UNIX-CONNECT:${socket}`];
    const report = ['--report', bench.path('nobody.sock')];
    const options = mode === 'run' ? [...start, ...report] : [...report, ...start];
    bench.start([...staticRelay, ...options, '--', 'sh', '-c', `(${script}) >&2; cat`], {
      ...user,
      env: { PATH: process.env['PATH'], MARK: 'environment' },
      stdio: ['ignore', 'pipe', errors],
    });
    if (mode === 'serve') {
      (await next()).write('x');
    }
    await eventually(() => expect(readFileSync(log, 'utf8')).toContain('done'));
    closeSync(errors);
    const text = readFileSync(log, 'utf8');
    expect(text).not.toMatch(/^past the relay|->|MARK=/m);
    expect(text.match(/Permission denied/g)).toHaveLength(3);
  });
});

describeWithStaticRelay('the end of a command', () => {
  it.each<[string[], object]>([
    [['sh', '-c', 'exit 7'], { type: 'ended', exit_code: 7, signal: null }],
    [['sh', '-c', 'kill -KILL $$'], { type: 'ended', exit_code: null, signal: 'SIGKILL' }],
    [['sh', '-c', 'kill -XFSZ $$'], { type: 'ended', exit_code: null, signal: 'SIGXFSZ' }],
    [['/no/such/program'], { type: 'not_started', error: 'ENOENT' }],
    [['/etc/passwd'], { type: 'not_started', error: 'EACCES' }],
  ])('is reported for an agent, after its output: %j', async (command, end) => {
    const told = await listenForClaims();
    await run(told.path, {}, command).ended;
    await eventually(() => expect(told.ends()).toEqual([end]));
    const started = { type: 'started' };
    expect(told.claims).toEqual('error' in end ? [end] : [started, end]);
  });

  it('is reported for a server before its connection ends, each time', async () => {
    const path = bench.path('ends.sock');
    const { next } = await bench.listen(path);
    const told = await listenForClaims();
    const script = 'read line; echo "wrote $line" >&2; exit 3';
    bench.start([...staticRelay, '--report', told.path, `UNIX-CONNECT:${path}`, '--', 'sh', '-c', script]);
    for (const turn of [1, 2]) {
      const socket = await next();
      socket.write(`${turn}\n`);
      socket.resume();
      await once(socket, 'end');
      await eventually(() => expect(told.ends()).toHaveLength(turn));
      expect(told.output().endsWith(`wrote ${turn}\n`)).toBe(true);
      socket.end();
    }
    expect(told.ends()[1]).toEqual({ type: 'ended', exit_code: 3, signal: null });
    expect(told.claims.some(({ type }) => type === 'started')).toBe(false);
  });

  it('is all that is reported where somebody else reads the output', async () => {
    const path = bench.path('end-only.sock');
    const { next } = await bench.listen(path);
    const told = await listenForClaims();
    const command = ['sh', '-c', 'read line; echo "wrote $line" >&2; exit 3'];
    const relay = bench.start([
      ...[...staticRelay, '--report-end', told.path],
      ...[`UNIX-CONNECT:${path}`, '--', ...command],
    ]);
    const socket = await next();
    socket.write('first\n');
    socket.resume();
    await once(socket, 'end');
    const end = { type: 'ended', exit_code: 3, signal: null };
    await eventually(() => expect(told.claims).toEqual([end]));
    await eventually(() => expect(relay.stderr).toContain('wrote first\n'));
    const secret = ['--report-end', told.path, '--secret', 'KEY'];
    const { code, stderr } = await bench.run([...staticRelay, 'run', ...secret, '--', 'true']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('needs --report') });
  });

  it('does not wait for a listener, and is reported to a late one', async () => {
    const path = bench.path('nobody.sock');
    expect((await run(path, {}, ['sh', '-c', 'echo said >&2; exit 5']).ended).code).toBe(5);
    const relay = run(path, {}, ['sh', '-c', 'echo early >&2; sleep 1; exit 6']);
    await eventually(() => expect(relay.stderr).toContain('early'));
    const claims: ProcessClaim[] = [];
    takeClaims(await (await bench.listen(path)).next(), claims);
    await relay.ended;
    await eventually(() => expect(claims.map(({ type }) => type)).toEqual(['started', 'output', 'ended']));
  });

  it('is reported for one that ends immediately, once somebody listens', async () => {
    const path = bench.path('late.sock');
    const relay = bench.start([
      ...[...staticRelay, 'run', '--report', path, '--wait', path, '--'],
      ...['sh', '-c', 'echo gone >&2; kill -KILL $$'],
    ]);
    // Longer than the relay waits at its end.
    await sleep(1500);
    const told = await listenForClaims(path);
    expect(await relay.ended).toMatchObject({ code: 137, stderr: 'gone\n' });
    const end = { type: 'ended', exit_code: null, signal: 'SIGKILL' };
    await eventually(() => expect(told.ends()).toEqual([end]));
    expect(told.output()).toBe('gone\n');
  });

  it('is reported again on a new connection after a restart of the sidecar', async () => {
    const path = bench.path('again.sock');
    const { next } = await bench.listen(path);
    const relay = bench.start([...staticRelay, 'run', '--report', path, '--', 'cat']);
    const first = await next();
    first.destroy();
    await once(first, 'close');
    relay.child.stdin?.write('after\n');
    const claims: ProcessClaim[] = [];
    takeClaims(await next(), claims);
    await eventually(() => expect(claims).toContainEqual(expect.objectContaining({ type: 'output' })));
  });
});

describeWithStaticRelay('the relay’s arguments about secrets', () => {
  it('are their names, with a socket to report to', async () => {
    const { code, stderr } = await bench.run([...staticRelay, 'run', '--secret', 'KEY', '--', 'true']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('needs --report') });
  });

  it('hold no value', async () => {
    const told = await listenForClaims();
    const relay = run(told.path, { KEY: 'value-of-the-key' }, ['cat']);
    expect(readFileSync(`/proc/${relay.pid}/cmdline`, 'utf8')).not.toContain('value-of-the-key');
    await relay.ended;
  });
});
