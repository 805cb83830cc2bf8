/** What the bench compares: each with an echo server of its own behind it. */
import { join } from 'node:path';
import type { Transport } from './load-generator.ts';
import type { RequestKind } from './messages.ts';
import { ownProgram, type Processes } from './processes.ts';
import { echoServer, startSidecar } from './sidecar.ts';
import { freePort, untilPort, untilSocket } from './wait.ts';

/** Where a client finds a started target. */
export interface Address {
  transport: Transport;
  address: string;
  /**
   * The same way to another server: what a neighbour of the measured one uses. Null: not
   * measured beside this target.
   */
  neighbour: string | null;
  /** The proxy's own process, where there is one. */
  pid: number | null;
}

export interface Place {
  /** A short path, on the disk that is measured. */
  directory: string;
  /** In memory; null where this system has no such place. */
  memoryDirectory: string | null;
  /** Where npm put the programs that the sidecar is compared with. */
  peers: string;
  /** The sidecar's program. */
  sidecar: string;
}

async function startDirect(processes: Processes, { directory }: Place): Promise<Address> {
  const address = await listenDirectly(processes, join(directory, 'direct'));
  const neighbour = await listenDirectly(processes, join(directory, 'direct-neighbour'));
  return { transport: 'line', address, neighbour, pid: null };
}

async function listenDirectly(processes: Processes, path: string): Promise<string> {
  processes.start([...echoServer, 'listen', path]);
  await untilSocket(path);
  return path;
}

async function startSocat(processes: Processes, { directory }: Place): Promise<Address> {
  const through = async (name: string) => {
    const behind = await listenDirectly(processes, join(directory, `${name}-server`));
    const path = join(directory, name);
    const { pid = null } = processes.start(['socat', `UNIX-LISTEN:${path},fork`, `UNIX-CONNECT:${behind}`]);
    await untilSocket(path);
    return { path, pid };
  };
  const { path: address, pid } = await through('socat');
  const { path: neighbour } = await through('socat-neighbour');
  return { transport: 'line', address, neighbour, pid };
}

async function startNodePipe(processes: Processes, { directory }: Place): Promise<Address> {
  const behind = await listenDirectly(processes, join(directory, 'node-pipe-server'));
  const address = join(directory, 'node-pipe');
  const { pid = null } = processes.start([...ownProgram('node-pipe'), address, behind]);
  await untilSocket(address);
  return { transport: 'line', address, neighbour: null, pid };
}

/**
 * One server process for all calls of a session: what it does by default, one for
 * each call, takes far longer.
 */
async function startSupergateway(processes: Processes, { peers }: Place): Promise<Address> {
  const port = await freePort();
  const { pid = null } = processes.start([
    ...[process.execPath, join(peers, 'supergateway/dist/index.js'), '--stdio', echoServer.join(' ')],
    ...['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'],
  ]);
  await untilPort(port);
  return { transport: 'http', address: `http://127.0.0.1:${port}/mcp`, neighbour: null, pid };
}

async function startMcpProxy(processes: Processes, { peers }: Place): Promise<Address> {
  const port = await freePort();
  const { pid = null } = processes.start([
    ...[process.execPath, join(peers, 'mcp-proxy/dist/bin/mcp-proxy.mjs'), '--server', 'stream'],
    ...['--host', '127.0.0.1', '--port', String(port), '--', ...ownProgram('echo-server')],
  ]);
  await untilPort(port);
  return { transport: 'http', address: `http://127.0.0.1:${port}/mcp`, neighbour: null, pid };
}

function startDisk(_processes: Processes, { directory }: Place): Promise<Address> {
  return Promise.resolve({
    transport: 'disk',
    address: join(directory, 'disk'),
    neighbour: null,
    pid: null,
  });
}

export const proxies = {
  direct: startDirect,
  socat: startSocat,
  'node-pipe': startNodePipe,
  sidecar: (processes: Processes, { directory, sidecar }: Place) =>
    startSidecar(processes, sidecar, join(directory, 'session')),
  'sidecar-in-memory': (processes: Processes, { memoryDirectory, sidecar }: Place) =>
    startSidecar(processes, sidecar, memoryDirectory ?? ''),
  supergateway: startSupergateway,
  'mcp-proxy': startMcpProxy,
  disk: startDisk,
};

/** Rows of the table. Several may share one proxy, and then one connection. */
export interface Target {
  name: string;
  proxy: keyof typeof proxies;
  kind: RequestKind;
  /** Concurrent requests would measure nothing useful. */
  serialOnly?: boolean;
}

export const targets: readonly Target[] = [
  { name: 'direct', proxy: 'direct', kind: 'call' },
  { name: 'socat', proxy: 'socat', kind: 'call' },
  { name: 'node-pipe', proxy: 'node-pipe', kind: 'call' },
  { name: 'sidecar', proxy: 'sidecar', kind: 'call' },
  { name: 'sidecar-gated', proxy: 'sidecar', kind: 'gated call' },
  { name: 'sidecar-ping', proxy: 'sidecar', kind: 'ping' },
  { name: 'sidecar-in-memory', proxy: 'sidecar-in-memory', kind: 'call' },
  { name: 'supergateway', proxy: 'supergateway', kind: 'call' },
  { name: 'mcp-proxy', proxy: 'mcp-proxy', kind: 'call' },
  { name: 'disk', proxy: 'disk', kind: 'call', serialOnly: true },
];
