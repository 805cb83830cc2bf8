/**
 * Both relays as the parent of a service: connections that they keep at the gateway's socket,
 * copied to the service's port.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { processorMs } from '../../support/process-costs.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import { allOf, lineOf, RelayBench, staticRelay, type TestProcess } from './relay-process.ts';

const bench = new RelayBench();
let nodeRelay: readonly string[] = [];

beforeAll(async () => {
  await bench.open();
  nodeRelay = await bench.nodeRelay();
});
afterEach(async () => {
  await bench.clear();
  await rm(bench.path('gateway.sock'), { force: true });
});
afterAll(() => bench.close());

/** Says what it takes, answers each line with it, and the end with an end. */
const echoes = `require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
  console.log('taken');
  socket.on('error', () => {}).on('close', () => console.log('closed'));
  socket.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end('bye\\n'));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('up'));`;
/** Takes connections and reads nothing. */
const deaf = `require('node:net').createServer({ pauseOnConnect: true }, () => console.log('taken'))
  .listen(Number(process.env.PORT), '127.0.0.1', () => console.log('up'));`;

const kinds: [string, typeof describe | typeof describe.skip, () => readonly string[]][] = [
  ['the relay for Node', describe, () => nodeRelay],
  ['the static relay', describeWithStaticRelay, () => staticRelay],
];
const most = 64;

for (const [name, describeIt, relayOf] of kinds) {
  describeIt(`${name} beside a service`, () => {
    const output = new Map<TestProcess, string>();
    const said = (relay: TestProcess) => output.get(relay) ?? '';
    const start = async (script: string, before: readonly string[] = []): Promise<TestProcess> => {
      const port = await chooseTestPort();
      const options = ['run', '--gateway', bench.path('gateway.sock'), '--port', String(port), '--'];
      const command = [...before, ...relayOf(), ...options, process.execPath, '-e', script];
      const env = { PATH: process.env['PATH'], PORT: String(port) };
      const relay = bench.start(command, { env }, false);
      output.set(relay, '');
      relay.child.stdout?.on('data', (chunk: Buffer) => output.set(relay, said(relay) + chunk.toString()));
      return relay;
    };
    const count = (relay: TestProcess, word: string) => said(relay).split(`${word}\n`).length - 1;
    const begin = async (script: string, before?: readonly string[]) => {
      const { next } = await bench.listen(bench.path('gateway.sock'));
      const relay = await start(script, before);
      await eventually(() => expect(said(relay)).toContain('up'));
      return { relay, next };
    };
    const ask = async (socket: Socket, line: string): Promise<string> => {
      socket.write(`${line}\n`);
      return lineOf(socket);
    };

    it('keeps one idle connection, opens the port with its first byte, and then the next', async () => {
      const { relay, next } = await begin(echoes);
      const first = await next();
      await sleep(100);
      expect(count(relay, 'taken')).toBe(0);
      expect(await ask(first, 'one')).toBe('one');
      const second = await next();
      expect(await ask(second, 'two')).toBe('two');
      expect(await ask(first, 'three')).toBe('three');
      expect(count(relay, 'taken')).toBe(2);
    });

    it('passes the end of each direction on by itself, and all that came before it', async () => {
      const { next } = await begin(echoes);
      const socket = await next();
      const bytes = Buffer.alloc(3 * 1024 * 1024, 'x');
      const answer = allOf(socket);
      socket.end(bytes);
      expect((await answer).equals(Buffer.concat([bytes, Buffer.from('bye\n')]))).toBe(true);
    });

    it('closes the service’s connection when the visitor’s is closed', async () => {
      const { relay, next } = await begin(echoes);
      const socket = await next();
      await ask(socket, 'hello');
      socket.destroy();
      await eventually(() => expect(count(relay, 'closed')).toBe(1));
    });

    it('closes the connection when nobody listens on the port, and keeps another', async () => {
      const { relay, next } = await begin(`console.log('up'); setInterval(() => {}, 1000)`);
      for (const _ of [1, 2, 3]) {
        const socket = await next();
        socket.write('GET /');
        await ended(socket);
      }
      expect(relay.stderr).toBe('');
    });

    it('has a limited number at once, and takes more when one has ended', async () => {
      const { next } = await begin(echoes);
      const open: Socket[] = [];
      for (let index = 0; index < most; index += 1) {
        const socket = await next();
        expect(await ask(socket, `number ${index}`)).toBe(`number ${index}`);
        open.push(socket);
      }
      const further = next();
      const isThere = await Promise.race([further.then(() => true), sleep(600).then(() => false)]);
      expect(isThere).toBe(false);
      open[0]?.destroy();
      expect(await ask(await further, 'again')).toBe('again');
    });

    it('waits for a gateway that is not there yet, and finds one that was restarted', async () => {
      const relay = await start(echoes);
      await eventually(() => expect(said(relay)).toContain('up'));
      const path = bench.path('gateway.sock');
      const first = await bench.listen(path);
      const socket = await first.next();
      expect(await ask(socket, 'one')).toBe('one');
      // As kill -9 leaves it: every connection ends, and the socket's file stays.
      const idle = await first.next();
      await rm(path);
      const second = await bench.listen(path);
      socket.destroy();
      idle.destroy();
      expect(await ask(await second.next(), 'two')).toBe('two');
    });

    it('ends like the command, whose output is its own, and passes signals on', async () => {
      const ends = await start(`console.log('out'); console.error('err'); process.exitCode = 7`);
      expect(await ends.ended).toMatchObject({ code: 7, stderr: 'err\n' });
      expect(said(ends)).toBe('out\n');
      const killed = await start(`process.kill(process.pid, 'SIGKILL')`);
      expect((await killed.ended).code).toBe(137);
      const asked = await start(
        `process.on('SIGTERM', () => process.exit(5)); console.log('up'); setInterval(() => {}, 1000)`,
      );
      await eventually(() => expect(said(asked)).toContain('up'));
      asked.kill('SIGTERM');
      expect((await asked.ended).code).toBe(5);
    });

    it('passes the last answer of a service on that ends with it', async () => {
      const { relay, next } = await begin(
        `require('node:net').createServer((socket) => socket.once('data', () => socket.end('last\\n', () => process.exit(3))))
          .listen(Number(process.env.PORT), '127.0.0.1', () => console.log('up'))`,
      );
      const socket = await next();
      expect(await ask(socket, 'hello')).toBe('last');
      expect((await relay.ended).code).toBe(3);
    });

    it('is idle while nothing comes, whether or not there is a gateway, and with few descriptors', async () => {
      const limited = ['sh', '-c', 'ulimit -n 28; exec "$@"', 'sh'];
      const { relay, next } = await begin(deaf, limited);
      // More than it has descriptors for: these wait, or are closed.
      const asking = setInterval(() => void next().then((socket) => socket.write('x')), 20);
      await sleep(1500);
      clearInterval(asking);
      const before = processorMs(relay.pid);
      await sleep(1500);
      expect(processorMs(relay.pid) - before).toBeLessThan(500);
      expect(existsSync(`/proc/${relay.pid}`)).toBe(true);
    });
  });
}

/** However the other side ends it. */
const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket
      .resume()
      .once('end', resolve)
      .once('close', () => resolve());
  });

describeWithStaticRelay('the static relay', () => {
  it('notices that a visitor has left while the service reads nothing', async () => {
    const { next } = await bench.listen(bench.path('gateway.sock'));
    const port = await chooseTestPort();
    const options = ['--gateway', bench.path('gateway.sock'), '--port', String(port)];
    const env = { PATH: process.env['PATH'], PORT: String(port) };
    const relay = bench.start([...staticRelay, 'run', ...options, '--', process.execPath, '-e', deaf], {
      env,
    });
    const descriptors = () => readFileSync(`/proc/net/unix`, 'utf8').split(bench.path('gateway.sock')).length;
    // Until it listens, each connection is closed.
    const socket = await eventually(async () => {
      const asked = await next();
      asked.write(Buffer.alloc(4 * 1024 * 1024));
      await sleep(200);
      expect(asked.destroyed || asked.readableEnded).toBe(false);
      return asked;
    });
    expect(relay.stderr).toBe('');
    const held = descriptors();
    socket.destroy();
    await eventually(() => expect(descriptors()).toBeLessThan(held));
  });

  it.each([
    [['--gateway', '/x.sock'], /need each other/],
    [['--port', '80'], /need each other/],
    [['--gateway', '/x.sock', '--port', '0'], /--port does not take 0/],
    [['--gateway', '/x.sock', '--port', '65536'], /--port does not take 65536/],
    [['--gateway', 'x'.repeat(200), '--port', '80'], /--gateway does not take x/],
    [['--network', 'some'], /--network does not take some/],
  ])('refuses %j', async (options, sentence) => {
    const ending = await bench.run([...staticRelay, 'run', ...options, '--', 'true']);
    expect(ending).toMatchObject({ code: 2, stderr: expect.stringMatching(sentence) });
  });
});
