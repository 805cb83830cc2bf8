import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { processesMentioning } from '../../support/processes.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import {
  childrenOf,
  describeWithNamespaces,
  inNamespaces,
  RelayBench,
  staticRelay,
  type TestProcess,
} from './relay-process.ts';

const bench = new RelayBench();
const run = (...args: string[]) => bench.run([...staticRelay, 'run', ...args]);
const supervise = (...args: string[]) => bench.start([...staticRelay, 'supervise', ...args]);

beforeAll(() => bench.open());
afterEach(() => bench.clear());
afterAll(() => bench.close());

/** Waits until the command says that it is ready; by then its handlers are set. */
async function speaks(process: TestProcess): Promise<void> {
  await eventually(() => expect(process.stderr).toContain('ready'));
}

/** True once the relay has set up its signals: ignoring this one comes last. */
function ignoresSigpipe(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, ignored = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return ((BigInt(`0x${ignored}`) >> BigInt(constants.signals.SIGPIPE - 1)) & 1n) === 1n;
}

/** Numbers that no other process has on its command line, to find what was left behind. */
let lastNumber = 0;
function uniqueSleep(): string {
  lastNumber += 1;
  return `1000.${process.pid}${lastNumber}`;
}

describeWithStaticRelay('relay run', () => {
  it.each([
    [['sh', '-c', 'exit 7'], 7],
    [['true'], 0],
    [['sh', '-c', 'kill -KILL $$'], 137],
    [['sh', '-c', 'kill -TERM $$'], 143],
  ])('ends like its command %j: %d', async (command, code) => {
    expect(await run('--', ...command)).toMatchObject({ code, stderr: '' });
  });

  it.each([
    ['no-such-program', 127, /^relay: cannot start "no-such-program": ENOENT .*\n$/],
    ['/etc/passwd', 126, /^relay: cannot start "\/etc\/passwd": EACCES .*\n$/],
    ['/', 126, /^relay: cannot start "\/": EACCES .*\n$/],
  ])('says why %s cannot be started', async (command, code, sentence) => {
    expect(await run('--', command)).toMatchObject({ code, stderr: expect.stringMatching(sentence) });
  });

  it('limits the size of each file permanently, and the command may continue', async () => {
    const script = 'ulimit -f unlimited; head -c 5000 /dev/zero >> "$0"; echo "$?"; wc -c < "$0"';
    const file = join(bench.directory, 'large');
    const command = ['--file-size', '4096', '--', 'bash', '-c', script, file];
    expect(await run(...command)).toMatchObject({ code: 0, stdout: '1\n4096\n' });
  });

  it.each(['0', '-1', '1k', '99999999999999999999'])('refuses a file size of %s', async (size) => {
    expect(await run('--file-size', size, '--', 'true')).toMatchObject({
      code: 2,
      stderr: `relay: the option --file-size does not take ${size}\n`,
    });
  });

  it('passes input, output, arguments and environment to the command unchanged', async () => {
    const script = 'cat; printf "%s|" "$@" "$VALUE"';
    const relay = bench.start([...staticRelay, 'run', '--', 'sh', '-c', script, 'sh', 'a b', '--', '-'], {
      env: { ...process.env, VALUE: 'from outside' },
    });
    relay.child.stdin?.end('input ');
    expect((await relay.ended).stdout).toBe('input a b|--|-|from outside|');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)('forwards %s', async (signal) => {
    const name = signal.slice(3);
    const script = `trap 'echo got ${name}; exit 5' ${name}; echo ready >&2; while :; do sleep 0.05; done`;
    const relay = bench.start([...staticRelay, 'run', '--', 'sh', '-c', script]);
    await speaks(relay);
    relay.kill(signal);
    expect(await relay.ended).toMatchObject({ code: 5, stdout: `got ${name}\n` });
  });

  it('reaps orphans while its command runs', async () => {
    const script = '(sh -c "sleep 0.1 & sleep 0.1 &" &); echo ready >&2; sleep 1000';
    const relay = bench.start([...staticRelay, 'run', '--', 'sh', '-c', script]);
    await speaks(relay);
    // Only the command, and none of its orphans: neither running nor zombie.
    await eventually(async () => expect(await childrenOf(relay.pid)).toHaveLength(1));
  });

  it('kills remaining processes when its command has ended', async () => {
    const seconds = uniqueSleep();
    const script = `setsid sh -c "sleep ${seconds} & sleep ${seconds}" & sleep ${seconds} & sleep 0.3`;
    expect((await run('--', 'sh', '-c', script)).code).toBe(0);
    expect(await processesMentioning(`sleep ${seconds}`)).toEqual([]);
  });

  it('reports the exit status even if its parent ignored SIGCHLD', async () => {
    const [relay = ''] = staticRelay;
    const script = `trap "" CHLD PIPE; exec "${relay}" run -- sh -c "exit 9"`;
    expect((await bench.run(['bash', '-c', script])).code).toBe(9);
  });

  it('runs its command only when the path exists and accepts connections', async () => {
    const path = bench.path('wait.sock');
    const relay = bench.start([...staticRelay, 'run', '--wait', path, '--', 'echo', 'after']);
    await sleep(200);
    expect(await childrenOf(relay.pid)).toEqual([]);
    await bench.listen(path);
    expect(await relay.ended).toMatchObject({ code: 0, stdout: 'after\n' });
  });

  it('waits for a file like for a socket', async () => {
    const path = bench.path('wait.json');
    const relay = bench.start([...staticRelay, 'run', '--wait', path, '--', 'echo', 'after']);
    await sleep(100);
    await writeFile(path, '{}');
    expect(await relay.ended).toMatchObject({ code: 0, stdout: 'after\n' });
  });

  it('gives up waiting with a separate exit code', async () => {
    const ending = await run('--wait', bench.path('never'), '--wait-limit-ms', '200', '--', 'echo', 'after');
    expect(ending).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('waited 200 ms') });
    expect(ending.stderr).toContain('ENOENT');
  });

  it('can be stopped while it waits', async () => {
    const relay = bench.start([...staticRelay, 'run', '--wait', bench.path('never'), '--', 'true']);
    await eventually(() => expect(ignoresSigpipe(relay.pid)).toBe(true));
    relay.kill('SIGTERM');
    expect((await relay.ended).code).toBe(143);
  });

  it('does not pass on inherited descriptors', async () => {
    const [relay = ''] = staticRelay;
    const script = `exec 7</dev/null 33</dev/null; "${relay}" run -- ls /proc/self/fd`;
    const { stdout } = await bench.run(['bash', '-c', script]);
    expect(stdout.trim().split('\n')).toEqual(['0', '1', '2', '3']);
  });

  it('runs where its standard descriptors are closed', async () => {
    const [relay = ''] = staticRelay;
    const listing = bench.path('descriptors');
    const script = `"${relay}" run --wait /dev/null -- sh -c "ls -l /proc/self/fd > ${listing}" <&- >&- 2>&-`;
    expect((await bench.run(['bash', '-c', script])).code).toBe(0);
    expect(readdirSync(bench.directory)).toContain('descriptors');
  });
});

describeWithStaticRelay('relay supervise', () => {
  it('restarts its command up to the limit, and ends like the last one', async () => {
    const count = bench.path('count');
    const script = `echo x >> ${count}; exit $(wc -l < ${count})`;
    const { code, stderr } = await supervise('--restarts', '2', '--', 'sh', '-c', script).ended;
    expect(code).toBe(3);
    expect(stderr.split('\n').filter(Boolean)).toEqual([
      'relay: "sh" ended (exit code 1); starting it again (1 of 2)',
      'relay: "sh" ended (exit code 2); starting it again (2 of 2)',
    ]);
  });

  it('says why a command cannot be started', async () => {
    const { code, stderr } = await supervise('--restarts', '1', '--', 'no-such-program').ended;
    expect(code).toBe(127);
    expect(stderr.match(/cannot start "no-such-program": ENOENT/g)).toHaveLength(2);
  });

  it('does not restart a command that it was asked to stop, and gives it time to exit', async () => {
    const script = 'trap "sleep 0.3; echo bye; exit 4" TERM; echo ready >&2; while :; do sleep 0.05; done';
    const relay = supervise('--', 'sh', '-c', script);
    await speaks(relay);
    relay.kill('SIGINT');
    expect(await relay.ended).toMatchObject({ code: 4, stdout: 'bye\n' });
  });

  it('kills a command that ignores signals', async () => {
    const relay = supervise('--', 'sh', '-c', 'trap "" TERM; echo ready >&2; while :; do sleep 0.05; done');
    await speaks(relay);
    relay.kill('SIGTERM');
    expect((await relay.ended).code).toBe(137);
  });

  it('gives its command no input', async () => {
    const relay = supervise('--restarts', '0', '--', 'cat');
    relay.child.stdin?.write('input');
    expect(await relay.ended).toMatchObject({ code: 0, stdout: '' });
  });
});

describeWithNamespaces('as PID 1 of a container', () => {
  const contained = (...args: string[]) => inNamespaces([], ...staticRelay, ...args);

  it.each(['run', 'supervise'])(
    'relay %s receives signals, reaps orphans and ends with its command',
    async (mode) => {
      const seconds = uniqueSleep();
      const script = `(setsid sleep ${seconds} &); trap 'exit 6' TERM; echo ready >&2; while :; do sleep 0.05; done`;
      const outer = bench.start(contained(mode, '--', 'sh', '-c', script));
      await speaks(outer);
      const [relay = 0] = await childrenOf(outer.pid);
      await eventually(async () => expect(await childrenOf(relay)).toHaveLength(2));
      process.kill(relay, 'SIGTERM');
      expect((await outer.ended).code).toBe(6);
      expect(await processesMentioning(`sleep ${seconds}`)).toEqual([]);
    },
  );

  it('a command cannot end it', async () => {
    const script = 'kill -KILL 1; kill -STOP 1; sleep 0.1; echo still here';
    expect(await bench.run(contained('run', '--', 'sh', '-c', script))).toMatchObject({
      code: 0,
      stdout: 'still here\n',
    });
  });

  it('the server’s side ends when stopped', async () => {
    const path = bench.path('pid-one.sock');
    const { next: connection } = await bench.listen(path);
    const outer = bench.start(contained(`UNIX-CONNECT:${path}`, '--', 'cat'));
    const socket = await connection();
    socket.write('x');
    const [relay = 0] = await childrenOf(outer.pid);
    await eventually(async () => expect(await childrenOf(relay)).toHaveLength(1));
    process.kill(relay, 'SIGTERM');
    expect((await outer.ended).code).toBe(0);
  });
});

describe('what these tests start', () => {
  it('no longer runs', async () => {
    expect(await processesMentioning(`1000.${process.pid}`)).toEqual([]);
  });
});
