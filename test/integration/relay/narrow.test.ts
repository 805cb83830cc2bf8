import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { describeWithStaticRelay, findStaticRelay } from '../../support/static-relay.ts';
import { all, buildProbe, outcomesIn } from './probe-program.ts';
import { lineOf, RelayBench, staticRelay } from './relay-process.ts';

const bench = new RelayBench();
const [relay = ''] = staticRelay;
let probe = '';

/** IPv4, IPv6 and netlink. */
const network = ['socket:2', 'socket:10', 'socket:16'];
/** Packet, KCM, vsock, SMC and XDP. */
const elsewhere = ['socket:17', 'socket:41', 'socket:40', 'socket:43', 'socket:44'];
const calls = [
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'bpf',
  'keyctl',
  'add_key',
  'request_key',
  'perf_event_open',
  'userfaultfd',
  'kexec_load',
  'kexec_file_load',
  'open_by_handle_at',
  'syslog',
].map((name) => `call:${name}`);
const otherNumbers = ['x32', 'i386'];
const always = { ...all(elsewhere, 'EAFNOSUPPORT'), ...all([...calls, ...otherNumbers], 'ENOSYS') };

beforeAll(async () => {
  await bench.open();
  if (findStaticRelay() !== null) {
    probe = buildProbe(bench.directory);
  }
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

async function outcomes(command: readonly string[]): Promise<Record<string, string>> {
  const { stdout, stderr } = await bench.run(command);
  return { ...outcomesIn(stdout), ...(stderr ? { stderr } : {}) };
}

const without = { 'socket:1': 'ok', socketpair: 'ok', ...all(network, 'EAFNOSUPPORT'), ...always };

describeWithStaticRelay('a command without a network', () => {
  it('has Unix sockets, and no other way out', async () => {
    const command = [relay, 'run', '--network', 'none', '--', probe, ...Object.keys(without)];
    expect(await outcomes(command)).toEqual(without);
  });

  it('is different without the relay, as the probe shows', async () => {
    expect(await outcomes([probe, 'socket:2', 'socket:16', 'call:keyctl'])).toEqual({
      'socket:2': 'ok',
      'socket:16': 'ok',
      'call:keyctl': 'EINVAL',
    });
  });

  it('cannot remove the filter, nor can its child processes', async () => {
    const script = `"${probe}" lift; (setsid "${probe}" socket:2); env -i "${probe}" socket:10 | cat`;
    expect(await outcomes([relay, 'run', '--network', 'none', '--', 'sh', '-c', script])).toEqual(
      all(['lift', 'socket:2', 'socket:10'], 'EAFNOSUPPORT'),
    );
  });

  it('regains no privileges by running a program', async () => {
    const { stdout } = await bench.run([
      relay,
      'run',
      '--network',
      'none',
      '--',
      'grep',
      '-E',
      '^(NoNewPrivs|Seccomp):',
      '/proc/self/status',
    ]);
    expect(stdout.replaceAll('\t', ' ')).toBe('NoNewPrivs: 1\nSeccomp: 2\n');
  });

  it('cannot regain access by nesting relays', async () => {
    const outer = [relay, 'run', '--network', 'none', '--'];
    expect(await outcomes([...outer, relay, 'run', '--', probe, 'socket:2'])).toEqual({
      'socket:2': 'EAFNOSUPPORT',
    });
  });

  it('is not run with a network socket as its standard input', async () => {
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const script = `exec 3<>/dev/tcp/127.0.0.1/${portOf(server)}; "${relay}" run --network none -- echo ran <&3`;
    const ending = await bench.run(['bash', '-c', script]);
    server.close();
    expect(ending).toMatchObject({ code: 70, stdout: '' });
    expect(ending.stderr).toContain('network socket');
  });

  it('inherits no socket', async () => {
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const script = `exec 3<>/dev/tcp/127.0.0.1/${portOf(server)}; "${relay}" run --network none -- "${probe}" descriptor:3`;
    const { stdout } = await bench.run(['bash', '-c', script]);
    server.close();
    expect(outcomesIn(stdout)).toEqual({ 'descriptor:3': 'EBADF' });
  });

  it('is narrowed as an MCP server too', async () => {
    const path = bench.path('none.sock');
    const { next } = await bench.listen(path);
    const attempts = ['socket:1', 'socket:2', 'socket:16'];
    bench.start([relay, '--network', 'none', `UNIX-CONNECT:${path}`, '--', probe, ...attempts]);
    const socket = await next();
    socket.write('x');
    let text = '';
    while (text.trim().split('\n').length < attempts.length) {
      text += `${await lineOf(socket)}\n`;
    }
    expect(outcomesIn(text)).toEqual({
      'socket:1': 'ok',
      ...all(['socket:2', 'socket:16'], 'EAFNOSUPPORT'),
    });
  });
});

describeWithStaticRelay('a command with a network', () => {
  const general = { 'socket:1': 'ok', socketpair: 'ok', ...all(network, 'ok'), ...always };

  it('has the network of its namespace, and nothing outside of namespaces', async () => {
    expect(await outcomes([relay, 'run', '--', probe, ...Object.keys(general)])).toEqual(general);
  });

  it('is not run without a required network policy', async () => {
    const ending = await bench.run([relay, 'run', '--network', 'restricted', '--', 'echo', 'ran']);
    expect(ending).toMatchObject({ code: 70, stdout: '' });
    expect(ending.stderr).toMatch(
      /^relay: the network is not restricted: \S+ has a route; the command is not run\n$/,
    );
  });
});

/**
 * Linux 6.12 and later scope them by Landlock; before, containers of one Pod are separated
 * by their namespaces alone.
 */
describeWithStaticRelay('abstract sockets and signals', () => {
  it('stay within the container if the kernel supports that', async () => {
    const name = `relay-test-${process.pid}`;
    const listener = bench.start(['socat', `ABSTRACT-LISTEN:${name},fork`, 'EXEC:true']);
    await bench.run(['sh', '-c', `until grep -q @${name} /proc/net/unix; do sleep 0.02; done`]);
    const attempts = [`abstract:${name}`, `signal:${listener.pid}`];
    const canScope = (await outcomes([probe, 'scopes']))['scopes'] === 'ok';
    expect(await outcomes([probe, ...attempts])).toEqual(all(attempts, 'ok'));
    expect(await outcomes([relay, 'run', '--', probe, ...attempts])).toEqual(
      all(attempts, canScope ? 'EPERM' : 'ok'),
    );
  });
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describeWithStaticRelay('a command that takes connections, and has no other network', () => {
  const listening = [relay, 'run', '--network', 'listen', '--'];
  /** Everything that could send without a connection that came from outside; each prints its outcome. */
  const attempts = `
const net = require('node:net');
const [path] = process.argv.slice(1);
const outcome = (what, made) => made.on('error', (error) => console.log(what + ' ' + error.code));
const server = net.createServer().listen(0, '127.0.0.1', () => {
  outcome('tcp', net.connect(server.address().port, '127.0.0.1', () => console.log('tcp ok')));
  outcome('unix', net.connect(path, () => console.log('unix ok')));
  outcome('udp', require('node:dgram').createSocket('udp4').bind(0));
  console.log('listens ' + Object.keys(require('node:os').networkInterfaces()).includes('lo'));
  setTimeout(() => process.exit(), 200);
});`;

  it('listens, and opens no connection, not even to itself', async () => {
    const path = bench.path('there.sock');
    await bench.listen(path);
    const ending = await bench.run([...listening, process.execPath, '-e', attempts, path]);
    expect(ending.stdout.trim().split('\n').sort()).toEqual([
      'listens true',
      'tcp EACCES',
      'udp EAFNOSUPPORT',
      'unix EACCES',
    ]);
  });

  it('has no datagrams and none of the ways out that nobody has', async () => {
    const expected = {
      'socket:1': 'ok',
      'socket:16': 'ok',
      socketpair: 'ok',
      ...all(['socket:2', 'socket:10'], 'EAFNOSUPPORT'),
      ...always,
    };
    expect(await outcomes([...listening, probe, ...Object.keys(expected)])).toEqual(expected);
  });

  it('sends no data with the first packet of a connection, and regains nothing by nesting relays', async () => {
    const script = `
import socket
for send in (lambda s, to: s.sendto(b'x', socket.MSG_FASTOPEN, to), lambda s, to: s.sendmsg([b'x'], [], socket.MSG_FASTOPEN, to)):
    try: print('sent', send(socket.socket(), ('127.0.0.1', 9)))
    except OSError as error: print(error.errno)
for protocol in (132, 262):
    try: print('made', socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol))
    except OSError as error: print(error.errno)`;
    const nested = [...listening, ...[relay, 'run', '--']];
    const { stdout, stderr } = await bench.run([...nested, 'python3', '-c', script]);
    expect({ stdout, stderr }).toEqual({ stdout: '13\n13\n97\n97\n', stderr: '' });
  });
});
