import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import {
  allOf,
  childrenOf,
  inNamespaces,
  isAlive,
  lineOf,
  RelayBench,
  staticRelay,
} from './relay-process.ts';

const bench = new RelayBench();
const relays: Record<string, readonly string[]> = { static: staticRelay };
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Makes file modes apply to root, too. */
const asPlainUser = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all'] : [];

/** Makes a command the first child of PID 1, as a user who is not root: as it is in a sandbox. */
const asFirstOfUser = [
  ...[
    'unshare',
    '--user',
    '--map-user=1000',
    '--map-group=1000',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ],
  ...['sh', '-c', '"$@" & wait', 'sh'],
];

/** Prints its pid, and echoes its input. */
const echo = ['sh', '-c', 'echo $$; exec cat'];

beforeAll(async () => {
  await bench.open();
  relays['node'] = await bench.nodeRelay();
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

async function serve(kind: string, name: string, command: readonly string[]) {
  const path = bench.path(`${kind}-${name}.sock`);
  const { next } = await bench.listen(path);
  const relay = bench.start([...(relays[kind] ?? []), `UNIX-CONNECT:${path}`, '--', ...command]);
  return { relay, next };
}

async function leave(socket: Socket): Promise<void> {
  socket.resume();
  socket.end();
  if (!socket.closed) {
    await once(socket, 'close');
  }
}

/** Both relays give the same guarantees. */
describeWithStaticRelay.each(['static', 'node'])("the %s relay at the server's side", (kind) => {
  it('starts a fresh process with the first byte of each connection, and none before', async () => {
    const { relay, next } = await serve(kind, 'fresh', echo);
    const pids: number[] = [];
    for (let connection = 0; connection < 3; connection += 1) {
      const socket = await next();
      expect(await childrenOf(relay.pid)).toEqual([]);
      socket.write('hello\n');
      pids.push(Number((await lineOf(socket)).split('\n')[0]));
      await leave(socket);
    }
    expect(new Set(pids).size).toBe(3);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  it('waits for a socket that its owner has created and not yet opened to the group', async () => {
    const path = bench.path(`${kind}-closed.sock`);
    const { next } = await bench.listen(path);
    await chmod(path, 0);
    const relay = bench.start([
      ...asPlainUser,
      ...(relays[kind] ?? []),
      `UNIX-CONNECT:${path}`,
      '--',
      ...echo,
    ]);
    await sleep(500);
    expect(isAlive(relay.pid)).toBe(true);
    await chmod(path, 0o600);
    const socket = await next();
    socket.write('hello\n');
    expect(await lineOf(socket)).toMatch(/^\d+/);
  });

  it('forwards megabytes in both directions concurrently', async () => {
    const { next } = await serve(kind, 'both', ['cat']);
    const socket = await next();
    const bytes = randomBytes(20_000_000);
    const received: Buffer[] = [];
    let size = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received.push(chunk);
        size += chunk.length;
        if (size === bytes.length) {
          resolve();
        }
      });
    });
    socket.write(bytes);
    await all;
    expect(digest(Buffer.concat(received))).toBe(digest(bytes));
  });

  it('kills a process that ignores signals, and its whole group', async () => {
    const script = 'trap "" TERM; sleep 1000 & echo $! $$; while :; do cat; sleep 0.1; done';
    const { next } = await serve(kind, 'stubborn', ['sh', '-c', script]);
    const socket = await next();
    socket.write('x');
    const pids = (await lineOf(socket)).split(/\s+/).slice(0, 2).map(Number);
    expect(pids.filter(isAlive)).toHaveLength(2);
    await leave(socket);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  it('delivers the output of a process before it ended, and reports how it ended', async () => {
    const { relay, next } = await serve(kind, 'last', ['sh', '-c', 'read line; echo "$line"; exit 3']);
    const socket = await next();
    socket.write('last words\n');
    expect((await allOf(socket)).toString()).toBe('last words\n');
    await eventually(() => expect(relay.stderr).toContain('ended by itself (exit code 3)'));
  });

  it('backs off for a process that keeps crashing', async () => {
    const { next } = await serve(kind, 'crash', ['sh', '-c', 'exit 1']);
    const startedMs: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const socket = await next();
      startedMs.push(performance.now());
      socket.write('x');
      await allOf(socket);
      socket.end();
    }
    const waits = startedMs.slice(1).map((at, index) => at - (startedMs[index] ?? 0));
    // 100, 200, 400 and 800 ms, each plus the time that starting takes here.
    expect(waits.at(-1)).toBeGreaterThan(500);
  });

  it('reports why a command cannot be started, and retries with the next connection', async () => {
    const { relay, next } = await serve(kind, 'missing', [bench.path('no-such-server')]);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const socket = await next();
      socket.write('x');
      await allOf(socket);
      socket.end();
    }
    await eventually(() => expect(relay.stderr.match(/ENOENT/g)?.length).toBeGreaterThanOrEqual(2));
  });

  it('ends with its child processes when stopped', async () => {
    const { relay, next } = await serve(kind, 'term', ['sh', '-c', 'sleep 1000 & echo $! $$; cat']);
    const socket = await next();
    socket.write('x');
    const pids = (await lineOf(socket)).split(/\s+/).slice(0, 2).map(Number);
    relay.kill('SIGTERM');
    expect(await relay.ended).toMatchObject({ code: 0 });
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  it('waits for a socket that appears late', async () => {
    const path = bench.path(`${kind}-late.sock`);
    bench.start([...(relays[kind] ?? []), `UNIX-CONNECT:${path}`, '--', ...echo]);
    await sleep(300);
    const socket = await (await bench.listen(path)).next();
    socket.write('x\n');
    expect(await lineOf(socket)).not.toBe('');
  });
});

describeWithStaticRelay("the static relay at the server's side", () => {
  it('serves a thousand connections in turn and keeps nothing of them', async () => {
    const { relay, next } = await serve('static', 'thousand', ['cat']);
    const descriptors = () => readdirSync(`/proc/${relay.pid}/fd`).length;
    let atFirst = 0;
    for (let connection = 0; connection < 1000; connection += 1) {
      const socket = await next();
      atFirst ||= descriptors();
      socket.write('ping\n');
      expect(await lineOf(socket)).toBe('ping');
      await leave(socket);
    }
    await next();
    await eventually(() => expect(descriptors()).toBe(atFirst));
    expect(await childrenOf(relay.pid)).toEqual([]);
  });

  it('kills what a server moved out of its group, with the connection', async () => {
    const script = 'setsid sh -c "echo \\$\\$; exec sleep 1000" & exec cat';
    const { relay, next } = await serve('static', 'daemon', ['sh', '-c', script]);
    const socket = await next();
    socket.write('x');
    const daemon = Number(/\d+/.exec(await lineOf(socket))?.[0]);
    expect(isAlive(daemon)).toBe(true);
    await leave(socket);
    await next();
    expect(isAlive(daemon)).toBe(false);
    expect(await childrenOf(relay.pid)).toEqual([]);
  });

  it.each([
    ['static', (relay: readonly string[]) => inNamespaces([], ...relay)],
    ['node', (relay: readonly string[]) => [...asFirstOfUser, ...relay, '--alone']],
  ] as const)('kills what forks twice without pause, with the connection (%s)', async (kind, alone) => {
    const path = bench.path(`${kind}-forker.sock`);
    const trace = bench.path(`${kind}-forker.trace`);
    const { next } = await bench.listen(path);
    // Each of them counts up, forks and exits; no pid lives long enough to be found and killed.
    const program = `use POSIX; for (;;) { fork() and POSIX::_exit(0); setsid(); open(F, ">", $ARGV[0]); print F ++$count; close F }`;
    const script = `perl -e '${program}' ${trace} & exec cat`;
    bench.start([...alone(relays[kind] ?? []), `UNIX-CONNECT:${path}`, '--', 'sh', '-c', script]);
    const socket = await next();
    socket.write('x\n');
    await lineOf(socket);
    const count = () => (existsSync(trace) ? readFileSync(trace, 'utf8') : '');
    await eventually(() => expect(Number(count())).toBeGreaterThan(20));
    await leave(socket);
    await next();
    const last = count();
    await sleep(500);
    expect(count()).toBe(last);
  });

  it('notices that the peer disconnected while the server is slow to read', async () => {
    const { next } = await serve('static', 'slow', ['sh', '-c', 'echo $$; exec sleep 1000']);
    const socket = await next();
    socket.write(Buffer.alloc(5_000_000));
    const pid = Number.parseInt(await lineOf(socket), 10);
    socket.destroy();
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  it('uses no processor time while a server lives on after it closed its pipes', async () => {
    const script = 'echo $$; exec >&- <&-; sleep 0.4';
    const { relay, next } = await serve('static', 'closed', ['sh', '-c', script]);
    const socket = await next();
    socket.write('x\n');
    expect((await allOf(socket)).toString()).toMatch(/^\d+\n$/);
    socket.end();
    await next();
    const [, userTicks = '', systemTicks = ''] =
      /(?:\S+ ){13}(\d+) (\d+)/.exec(readFileSync(`/proc/${relay.pid}/stat`, 'utf8')) ?? [];
    expect(Number(userTicks) + Number(systemTicks)).toBeLessThan(20);
  });

  it('passes neither its own descriptors nor its blocked signals to the command', async () => {
    const script = 'ls /proc/self/fd; grep -E "SigBlk|SigIgn" /proc/self/status; echo end';
    const { next } = await serve('static', 'clean', ['sh', '-c', script]);
    const socket = await next();
    socket.write('x');
    const text = (await allOf(socket)).toString();
    // The fourth is that of ls itself, reading its directory.
    expect(text.split('\n').filter((line) => /^\d+$/.test(line))).toEqual(['0', '1', '2', '3']);
    expect(text).toMatch(/SigBlk:\s0+\n/);
  });

  it('gives up when nothing can ever listen there', async () => {
    const path = bench.path('file');
    await writeFile(path, '');
    const { code, stderr } = await bench.run([...staticRelay, `UNIX-CONNECT:${path}/x.sock`, '--', 'true']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOTDIR') });
  });
});
