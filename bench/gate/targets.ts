/** What the bench compares: each with an echo server of its own behind it. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import type { RequestKind } from './messages.ts';
import { firstLineOf, freePort, ownProgram, type Processes, untilPort, untilSocket } from './processes.ts';

/** Where a client finds a started target. */
export interface Address {
  transport: 'line' | 'http';
  address: string;
  /** The same way to another server: what a neighbour of the measured one uses. Null: not measured beside this target. */
  neighbour: string | null;
  /** The proxy's own process, where there is one. */
  pid: number | null;
}

/** Rows of the table. Several may share one proxy, and then one connection. */
export interface Target {
  name: string;
  proxy: keyof typeof proxies;
  kind: RequestKind;
}

export const targets = [
  { name: 'direct', proxy: 'direct', kind: 'call' },
  { name: 'socat', proxy: 'socat', kind: 'call' },
  { name: 'sidecar', proxy: 'sidecar', kind: 'call' },
  { name: 'sidecar-gated', proxy: 'sidecar', kind: 'gated call' },
  { name: 'sidecar-ping', proxy: 'sidecar', kind: 'ping' },
  { name: 'sidecar-in-memory', proxy: 'sidecar-in-memory', kind: 'call' },
  { name: 'supergateway', proxy: 'supergateway', kind: 'call' },
  { name: 'mcp-proxy', proxy: 'mcp-proxy', kind: 'call' },
] as const satisfies readonly Target[];

export interface Place {
  /** Short, on the disk that the figures are of. */
  directory: string;
  /** Where npm put the programs that the sidecar is compared with. */
  peers: string;
}

const program = (name: string) => new URL(`../../dist/${name}.js`, import.meta.url).pathname;
const echo = ownProgram('echo-server');

async function listenDirectly(processes: Processes, path: string): Promise<string> {
  processes.start([...echo, 'listen', path]);
  await untilSocket(path);
  return path;
}

async function startDirect(processes: Processes, { directory }: Place): Promise<Address> {
  const address = await listenDirectly(processes, join(directory, 'direct'));
  const neighbour = await listenDirectly(processes, join(directory, 'direct-neighbour'));
  return { transport: 'line', address, neighbour, pid: null };
}

async function startSocat(processes: Processes, { directory }: Place): Promise<Address> {
  const through = async (name: string) => {
    const behind = await listenDirectly(processes, join(directory, `${name}-server`));
    const path = join(directory, name);
    processes.start(['socat', `UNIX-LISTEN:${path},fork`, `UNIX-CONNECT:${behind}`]);
    await untilSocket(path);
    return path;
  };
  const address = await through('socat');
  return { transport: 'line', address, neighbour: await through('socat-neighbour'), pid: null };
}

const servers = ['quiet', 'neighbour'];

/** The program of the product as a session runs it, with its spool below `directory`. */
export async function startSidecar(processes: Processes, directory: string): Promise<Address> {
  const apiPort = await firstLineOf(processes.start(ownProgram('internal-api')));
  mkdirSync(directory, { recursive: true });
  const boot: SidecarBoot = {
    session_id: randomUUID(),
    agent: { id: randomUUID(), name: 'bench' },
    api_url: `http://127.0.0.1:${apiPort}`,
    internal_token: 'token',
    control_key: 'key',
    session_directory: directory,
    control_host: '127.0.0.1',
    control_port: 0,
    servers: servers.map((name) => ({ name, tool_scopes: { gated: 'bench.call' }, client_features: [] })),
    log_tool_payloads: false,
    limits: {
      line_bytes: 1024 * 1024,
      inline_artifact_bytes: 512 * 1024,
      artifact_bytes: 1024 * 1024,
      request_input_wait_seconds: 300,
      server_connect_timeout_ms: 10_000,
      call_timeout_ms: 0,
    },
  };
  const sidecar = processes.start([process.execPath, program('sidecar')], {
    cwd: directory,
    input: `${JSON.stringify(boot)}\n`,
  });
  for (const name of servers) {
    const socket = join(directory, 'servers', name, `${name}.sock`);
    await untilSocket(socket);
    processes.start([...echo, 'connect', socket]);
  }
  const socketOf = (name: string) => join(directory, 'agent/mcp', `${name}.sock`);
  await untilSocket(socketOf('neighbour'));
  return {
    transport: 'line',
    address: socketOf('quiet'),
    neighbour: socketOf('neighbour'),
    pid: sidecar.pid ?? null,
  };
}

/** One server process for all calls of a session: by default it starts one for each call. */
async function startSupergateway(processes: Processes, { peers }: Place): Promise<Address> {
  const port = await freePort();
  processes.start([
    ...[process.execPath, join(peers, 'supergateway/dist/index.js'), '--stdio', echo.join(' ')],
    ...['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'],
  ]);
  await untilPort(port);
  return { transport: 'http', address: `http://127.0.0.1:${port}/mcp`, neighbour: null, pid: null };
}

async function startMcpProxy(processes: Processes, { peers }: Place): Promise<Address> {
  const port = await freePort();
  processes.start([
    ...[process.execPath, join(peers, 'mcp-proxy/dist/bin/mcp-proxy.mjs'), '--server', 'stream'],
    ...['--host', '127.0.0.1', '--port', String(port), '--', ...echo],
  ]);
  await untilPort(port);
  return { transport: 'http', address: `http://127.0.0.1:${port}/mcp`, neighbour: null, pid: null };
}

export const proxies = {
  direct: startDirect,
  socat: startSocat,
  sidecar: (processes: Processes, { directory }: Place) =>
    startSidecar(processes, join(directory, 'session')),
  'sidecar-in-memory': (processes: Processes, { directory }: Place) =>
    startSidecar(processes, join('/dev/shm', directory.replaceAll('/', '-').slice(1))),
  supergateway: startSupergateway,
  'mcp-proxy': startMcpProxy,
};
