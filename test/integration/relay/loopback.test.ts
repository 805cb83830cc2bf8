/**
 * Both relays as the parent of a command that reaches sockets by ports of its loopback, is reached with an
 * announcement, and says when it is ready.
 */
import { rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { describeWithStaticRelay } from '../../support/static-relay.ts';
import { allOf, lineOf, RelayBench, staticRelay, type TestProcess } from './relay-process.ts';

const bench = new RelayBench();
let nodeRelay: readonly string[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  await bench.open();
  nodeRelay = await bench.nodeRelay();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
  await bench.clear();
  for (const name of ['asked', 'dialed', 'report', 'up']) {
    await rm(bench.path(`${name}.sock`), { force: true });
  }
});
afterAll(() => bench.close());

const kinds: [string, typeof describe | typeof describe.skip, () => readonly string[]][] = [
  ['the relay for Node', describe, () => nodeRelay],
  ['the static relay', describeWithStaticRelay, () => staticRelay],
];
const idle = ['sh', '-c', 'sleep 60'];
/** Speaks first, as some databases do. */
const greets = `require('node:net').createServer((socket) => {
  socket.on('error', () => {}).write('220 ready\\n');
  socket.on('data', (chunk) => socket.write(chunk));
}).listen(Number(process.env.PORT), '127.0.0.1')`;
const most = 64;

for (const [name, describeIt, relayOf] of kinds) {
  const start = (options: readonly string[], command: readonly string[], port = 0): TestProcess => {
    const env = { PATH: process.env['PATH'], PORT: String(port) };
    return bench.start([...relayOf(), 'run', ...options, '--', ...command], { env });
  };

  describeIt(`${name} with --listen`, () => {
    const begin = async () => {
      const port = await chooseTestPort();
      const path = bench.path('asked.sock');
      const { next } = await bench.listen(path);
      const relay = start(['--listen', `${port}=${path}`], idle);
      return { relay, next, connect: () => eventually(() => connectTo(port)) };
    };

    it('copies connections of the port to the socket, with the end of each direction', async () => {
      const { next, connect } = await begin();
      const asking = await connect();
      const answering = await next();
      const heard = allOf(answering);
      asking.end(Buffer.alloc(2 * 1024 * 1024, 'q'));
      expect((await heard).length).toBe(2 * 1024 * 1024);
      const answer = allOf(asking);
      answering.end(Buffer.alloc(2 * 1024 * 1024, 'a'));
      expect((await answer).length).toBe(2 * 1024 * 1024);
    });

    it('lets the socket speak first, and ends both sides with either', async () => {
      const { next, connect } = await begin();
      const asking = await connect();
      const answering = await next();
      answering.write('hello\n');
      expect(await lineOf(asking)).toBe('hello');
      answering.destroy();
      await allOf(asking);
      const other = await connect();
      const second = await next();
      other.destroy();
      await allOf(second);
    });

    it('closes a connection when nobody listens on the socket, and reaches one that came back', async () => {
      const { next, connect } = await begin();
      const first = await connect();
      await next();
      await rm(bench.path('asked.sock'));
      const refused = await connect();
      await allOf(refused);
      const again = await bench.listen(bench.path('asked.sock'));
      const third = await connect();
      third.write('again\n');
      expect(await lineOf(await again.next())).toBe('again');
      expect(first.destroyed).toBe(false);
    });

    it('has a limited number at once, and is reached again when they have ended', async () => {
      const { next, connect } = await begin();
      let answered = 0;
      void (async () => {
        for (;;) {
          const answering = await next();
          answered += 1;
          answering.resume().on('end', () => answering.end());
          answering.write('hello\n');
        }
      })();
      const open = await Promise.all(Array.from({ length: most }, connect));
      await Promise.all(open.map(lineOf));
      await connect();
      await sleep(500);
      expect(answered).toBe(most);
      for (const socket of open) {
        socket.destroy();
      }
      await eventually(async () => {
        const asking = await connect();
        expect(await Promise.race([lineOf(asking), sleep(300)])).toBe('hello');
      });
    });

    it('runs nothing when the port is taken', async () => {
      const port = await chooseTestPort();
      const server = await listenOn(port);
      const relay = start(['--listen', `${port}=${bench.path('asked.sock')}`], ['sh', '-c', 'echo ran']);
      const { code, stdout, stderr } = await relay.ended;
      expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: '' });
      expect(stderr).toContain(`cannot listen on port ${port}: EADDRINUSE`);
      server.close();
    });
  });

  describeIt(`${name} with --dial`, () => {
    it('reaches a server that speaks first, and passes nothing of the announcement on', async () => {
      const port = await chooseTestPort();
      const { next } = await bench.listen(bench.path('dialed.sock'));
      start(
        ['--dial', bench.path('dialed.sock'), '--port', String(port)],
        [process.execPath, '-e', greets],
        port,
      );
      const socket = await eventually(async () => {
        const dialed = await next();
        dialed.write(Buffer.of(1));
        expect(await Promise.race([lineOf(dialed), allOf(dialed).then(() => 'ended')])).toBe('220 ready');
        return dialed;
      });
      socket.write('echo\n');
      expect(await lineOf(socket)).toBe('echo');
    });
  });

  describeIt(`${name} with a readiness`, () => {
    const listenForReports = async () => {
      const { next, close } = await bench.listen(bench.path('report.sock'));
      const lines: string[] = [];
      void (async () => {
        for (;;) {
          const socket = await next();
          socket.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
          socket.on('end', () => socket.end());
        }
      })();
      return { lines, close };
    };
    const reports = async () => (await listenForReports()).lines;
    const report = () => ['--report-end', bench.path('report.sock')];
    const ready = '{"type":"ready"}';

    it('says that its port takes connections, also to a sidecar that comes after the one that was told', async () => {
      const { lines, close } = await listenForReports();
      const port = await chooseTestPort();
      start([...report(), '--ready-port', String(port)], idle);
      await eventually(() => expect(lines).toEqual(['{"type":"started"}']));
      await sleep(1500);
      expect(lines).not.toContain(ready);
      const server = await listenOn(port);
      await eventually(() => expect(lines).toContain(ready));
      close();
      const later = await reports();
      await eventually(() => expect(later).toContain(ready));
      server.close();
    });

    it('asks a command beside it, which writes nowhere and is ended when it takes too long', async () => {
      const lines = await reports();
      const flag = bench.path('up.sock');
      // Its arguments are its own, whatever they are called here.
      const script = `echo noise; test "$1$2" = -h--help && test -e ${flag}`;
      const asked = ['sh', '-c', script, '--', '-h', '--help'];
      const relay = start([...report(), ...asked.flatMap((each) => ['--ready-argument', each])], idle);
      await sleep(1500);
      expect(lines).not.toContain(ready);
      await writeFile(flag, '');
      await eventually(() => expect(lines).toContain(ready));
      relay.kill('SIGTERM');
      const { stdout } = await relay.ended;
      expect(stdout).toBe('');
      expect(lines.at(-1)).toBe('{"type":"ended","exit_code":null,"signal":"SIGTERM"}');
    });

    it('says how the command ended that was never ready, and that its command to ask with is not there', async () => {
      const lines = await reports();
      const relay = start(
        [...report(), '--ready-argument', 'no-such-program'],
        ['sh', '-c', 'sleep 1.5; exit 4'],
      );
      expect((await relay.ended).code).toBe(4);
      await eventually(() => expect(lines.at(-1)).toBe('{"type":"ended","exit_code":4,"signal":null}'));
      expect(lines).not.toContain(ready);
    });

    it('tells a sidecar that comes back later', async () => {
      const port = await chooseTestPort();
      const server = await listenOn(port);
      start([...report(), '--ready-port', String(port)], idle);
      await sleep(1000);
      const lines = await reports();
      await eventually(() => expect(lines).toContain(ready));
      server.close();
    });
  });
}

describeWithStaticRelay('the static relay with a readiness, of a command that writes without end', () => {
  it('says that it is ready, though the sidecar reads less than is written', async () => {
    const path = bench.path('report.sock');
    const { next } = await bench.listen(path);
    const writesOn = 'while sleep 0.05; do head -c 65536 /dev/zero >&2; done';
    bench.start(
      [
        ...staticRelay,
        'run',
        '--report',
        path,
        '--ready-argument',
        'sleep',
        '--ready-argument',
        '2',
        '--',
        'sh',
        '-c',
        writesOn,
      ],
      { env: { PATH: process.env['PATH'] } },
    );
    const socket = await next();
    let isReady = false;
    let told = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      isReady ||= told.includes('{"type":"ready"}\n');
      socket.pause();
      setTimeout(() => socket.resume(), 250);
    });
    await eventually(() => expect(isReady).toBe(true));
    expect(told.startsWith('{"type":"started"}\n')).toBe(true);
  });
});

async function connectTo(port: number): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
  sockets.push(socket);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => undefined);
  return socket;
}

function listenOn(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}
