/**
 * A network of its own for a browser, with no interface but its loopback. Chromium aborts what it loads
 * whenever an interface of its network comes or goes, as those of containers do all the time while other
 * tests run. It reaches this machine's loopback through a SOCKS proxy, and nothing else.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BrowserNetwork {
  /** Runs the browser in it once connections can be made, with the arguments that it is given. */
  executablePath: string;
  args: string[];
  close(): void;
}

/** Inside of the network, where nothing else listens. */
const proxyPort = 1080;
const forwarder = fileURLToPath(new URL('browser-forwarder.mjs', import.meta.url));
/**
 * Ends with its browser: everything of the namespace of processes ends with the process that it was made for.
 */
const isolation = [
  ...['--dev-bind', '/', '/', '--proc', '/proc'],
  ...['--unshare-net', '--unshare-pid', '--as-pid-1', '--die-with-parent'],
];

/** Null where this machine cannot make one: the browser then has the machine's network. */
export async function createBrowserNetwork(program: string): Promise<BrowserNetwork | null> {
  if (spawnSync('bwrap', [...isolation, 'true']).status !== 0) {
    return null;
  }
  const directory = mkdtempSync(join(tmpdir(), 'browser-'));
  const socketPath = join(directory, 'proxy.sock');
  const server = createServer(serveSocks);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  server.unref();
  const executablePath = join(directory, 'browser');
  writeFileSync(
    executablePath,
    `#!/bin/sh
mkfifo '${directory}/listening'
exec bwrap ${isolation.join(' ')} sh -c '"$1" "$2" ${proxyPort} "$3" > "$4" & read -r _ < "$4"; shift 4; exec "$@"' sh \\
  '${process.execPath}' '${forwarder}' '${socketPath}' '${directory}/listening' '${program}' "$@"
`,
  );
  chmodSync(executablePath, 0o755);
  return {
    executablePath,
    // Chromium would otherwise ask for addresses of this machine without the proxy.
    args: [`--proxy-server=socks5://127.0.0.1:${proxyPort}`, '--proxy-bypass-list=<-loopback>'],
    close() {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const greeting = Buffer.from([5, 0]);
const answer = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
const connected = 0;
const refused = 5;
const unreachable = 4;

/** SOCKS 5 as a browser speaks it (RFC 1928): no authentication, and requests to connect alone. */
function serveSocks(near: Socket): void {
  near.on('error', () => near.destroy());
  let received = Buffer.alloc(0);
  let isGreeted = false;
  const onData = (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    const [, methods = 0] = received;
    if (!isGreeted && received.length >= 2 + methods) {
      isGreeted = true;
      received = received.subarray(2 + methods);
      near.write(greeting);
    }
    const target = isGreeted ? readTarget(received) : null;
    if (target !== null) {
      near.off('data', onData).pause();
      connectTo(near, target, received.subarray(target.sizeBytes));
    }
  };
  near.on('data', onData);
}

interface Target {
  host: string;
  port: number;
  sizeBytes: number;
}

/** Null while it is not whole. */
function readTarget(request: Buffer): Target | null {
  const isName = request[3] === 3;
  const start = isName ? 5 : 4;
  const end = start + (isName ? (request[4] ?? 0) : 4);
  if (request.length < Math.max(5, end + 2)) {
    return null;
  }
  const address = request.subarray(start, end);
  const host = isName ? address.toString('latin1') : address.join('.');
  return { host, port: request.readUInt16BE(end), sizeBytes: end + 2 };
}

function connectTo(near: Socket, { host, port }: Target, rest: Buffer): void {
  if (!/^(127(\.\d+){3}|(.+\.)?localhost)$/.test(host)) {
    near.end(answer(unreachable));
    return;
  }
  const far = connect({ host: host.endsWith('localhost') ? '127.0.0.1' : host, port });
  const onRefusal = () => near.end(answer(refused));
  far.once('error', onRefusal);
  far.once('connect', () => {
    // From now on all that the browser gets is what the far side says.
    far.off('error', onRefusal).on('error', () => near.destroy());
    near.write(answer(connected));
    far.write(rest);
    near.pipe(far).pipe(near);
  });
  near.once('close', () => far.destroy());
}
