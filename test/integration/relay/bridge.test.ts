import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { runAgentRelay } from '../../../relay/node/agent-relay.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import { allOf, RelayBench, staticRelay } from './relay-process.ts';

const bench = new RelayBench();
const relays: Record<string, readonly string[]> = { static: staticRelay };
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  await bench.open();
  relays['node'] = await bench.nodeRelay();
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

/** Both relays give the same guarantees. */
describeWithStaticRelay.each(['static', 'node'])("the %s relay at the agent's side", (kind) => {
  const bridge = (path: string, keepsOutput = true) =>
    bench.start([...(relays[kind] ?? []), '-', `UNIX-CONNECT:${path}`], {}, keepsOutput);

  it('forwards megabytes in both directions concurrently, and the end of the input', async () => {
    const path = bench.path(`${kind}-both.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path, false);
    const [there, back] = [randomBytes(20_000_000), randomBytes(20_000_000)];
    const server = await socket;
    server.write(back);
    relay.child.stdin?.end(there);
    const { stdout } = relay.child;
    const answered = stdout ? allOf(stdout) : Buffer.of();
    const received = await allOf(server);
    server.end();
    expect([digest(received), digest(await answered)]).toEqual([digest(there), digest(back)]);
    expect(await relay.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('forwards answers that arrive after the end of the input', async () => {
    const path = bench.path(`${kind}-half.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path);
    relay.child.stdin?.end('question');
    const server = await socket;
    expect((await allOf(server)).toString()).toBe('question');
    server.end('answer');
    expect(await relay.ended).toMatchObject({ code: 0, stdout: 'answer' });
  });

  it('ends when the socket does, whatever is still open', async () => {
    const path = bench.path(`${kind}-end.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path);
    (await socket).end('bye');
    expect(await relay.ended).toMatchObject({ code: 0, stdout: 'bye' });
  });

  it('waits for a socket that appears late', async () => {
    const path = bench.path(`${kind}-late.sock`);
    const relay = bridge(path);
    relay.child.stdin?.end('early');
    await sleep(300);
    const server = await (await bench.listen(path)).next();
    expect((await allOf(server)).toString()).toBe('early');
    server.end();
    expect((await relay.ended).code).toBe(0);
  });

  it('forwards all that came before the end of the socket to a slow reader', async () => {
    const path = bench.path(`${kind}-last.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path, false);
    (await socket).end(Buffer.alloc(400_000));
    await sleep(500);
    const { stdout } = relay.child;
    expect(stdout && (await allOf(stdout))).toHaveLength(400_000);
    expect(await relay.ended).toMatchObject({ code: 0 });
  });

  it('ends with the socket when nobody reads its output any more', async () => {
    const path = bench.path(`${kind}-unread.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path, false);
    (await socket).end(Buffer.alloc(400_000));
    await sleep(100);
    relay.child.stdout?.destroy();
    await relay.ended;
  });

  it('reads no more than its buffers hold while the other side does not read', async () => {
    const path = bench.path(`${kind}-slow.sock`);
    const socket = (await bench.listen(path)).next();
    const relay = bridge(path, false);
    const server = await socket;
    server.write(Buffer.alloc(50_000_000));
    let before = -1;
    await eventually(() => {
      const { writableLength } = server;
      const isStill = writableLength === before;
      before = writableLength;
      expect(isStill).toBe(true);
    });
    expect(before).toBeGreaterThan(45_000_000);
    server.end();
    const { stdout } = relay.child;
    expect(stdout && (await allOf(stdout))).toHaveLength(50_000_000);
  });
});

it('the node relay ends after its output has taken a last small piece', async () => {
  const path = bench.path('node-small.sock');
  const socket = (await bench.listen(path)).next();
  const taken: Buffer[] = [];
  const slow = new Writable({
    write(chunk: Buffer, _, done) {
      setTimeout(() => {
        taken.push(chunk);
        done();
      }, 100);
    },
  });
  const ended = runAgentRelay(path, new PassThrough(), slow);
  (await socket).end('a piece below the size that stops a stream from reading on');
  expect(await ended).toBe(0);
  expect(Buffer.concat(taken).toString()).toMatch(/^a piece.*on$/);
});

describeWithStaticRelay('the static relay', () => {
  it.each([
    [[], 'expected: relay UNIX-CONNECT:<socket> -- <command>'],
    [['-'], 'expected: relay - UNIX-CONNECT:<socket>'],
    [['-', '/x.sock'], 'expected: relay - UNIX-CONNECT:<socket>'],
    [['-', 'UNIX-CONNECT:/x', 'more'], 'expected: relay - UNIX-CONNECT:<socket>'],
    [['-', `UNIX-CONNECT:/${'x'.repeat(107)}`], 'is longer than 107 bytes'],
    [['UNIX-CONNECT:/x', 'server'], 'expected: relay UNIX-CONNECT:<socket> -- <command>'],
    [['UNIX-CONNECT:/x', '--'], 'expected: relay UNIX-CONNECT:<socket> -- <command>'],
    [['--network', 'some', 'UNIX-CONNECT:/x', '--', 'y'], 'the option --network does not take some'],
    [['run', '--restarts', '1', '--', 'y'], 'the option --restarts is not known here'],
    [['run', '--wait-limit-ms', '1x', '--', 'y'], 'the option --wait-limit-ms does not take 1x'],
    [['run', '--wait'], 'the option --wait does not take nothing'],
    [['run', 'y'], 'expected: relay run'],
    [['supervise', '--network', 'none', '--', 'y'], 'the option --network is not known here'],
    [['install'], 'expected: relay install'],
    [['network-policy', '--dns', 'name.example'], 'is not an IPv4 address'],
    [['network-policy', 'more'], 'expected: relay network-policy'],
  ])('refuses %j and says why', async (given, sentence) => {
    const { code, stderr } = await bench.run([...staticRelay, ...given]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`relay: `) });
    expect(stderr).toContain(sentence);
  });

  it.each([[['--help']], [['run', '--help']], [['network-policy', '-h']]])(
    'prints its usage with %j',
    async (given) => {
      expect(await bench.run([...staticRelay, ...given])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Usage:'),
      });
    },
  );

  it('does not change the blocking mode of standard output', async () => {
    const path = bench.path('flags.sock');
    const socket = (await bench.listen(path)).next();
    const [relay = ''] = staticRelay;
    const script = `"${relay}" - UNIX-CONNECT:${path} </dev/null; grep flags /proc/self/fdinfo/1`;
    const shell = bench.start(['sh', '-c', `exec 1>&2; ${script} >&2`]);
    (await socket).end('x');
    const { stderr } = await shell.ended;
    const flags = Number.parseInt(/flags:\s*(\d+)/.exec(stderr)?.[1] ?? '', 8);
    expect(flags & 0o4000).toBe(0);
  });

  it('ends by signals like any program', async () => {
    const path = bench.path('signal.sock');
    const socket = (await bench.listen(path)).next();
    const relay = bench.start([...staticRelay, '-', `UNIX-CONNECT:${path}`]);
    await once(await socket, 'readable', { signal: AbortSignal.timeout(200) }).catch(() => undefined);
    relay.kill('SIGTERM');
    expect((await relay.ended).signal).toBe('SIGTERM');
  });
});
