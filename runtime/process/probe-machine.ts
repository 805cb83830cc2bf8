/** What this machine offers: a working sandbox, and a way to the internet that leads nowhere else. Tried, not assumed. */
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startContainer } from './host/start-container.ts';
import type { ContainerLaunch } from './host-protocol.ts';
import { type Programs, sandboxLayout, sessionFiles } from './layout.ts';
import { renderSandbox, type SystemRoot } from './render-sandbox.ts';
import { makeSessionDirectory, relayProgram } from './session-directory.ts';
import type { ContainerSpec } from './workload-spec.ts';

const trialTimeoutMs = 10_000;
const topLevel = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const configurationBelowUsr = ['/usr/etc', '/usr/local/etc'];
/** What container engines hide of /proc, as far as anybody may read it. */
const aboutTheMachine = [
  'keys',
  'key-users',
  'timer_list',
  'sched_debug',
  'latency_stats',
  'kcore',
  'kmsg',
].map((file) => `/proc/${file}`);

export function readSystemRoot(): SystemRoot {
  const present = topLevel.filter((path) => existsSync(path));
  const isLink = (path: string) => lstatSync(path).isSymbolicLink();
  return {
    links: Object.fromEntries(present.filter(isLink).map((path) => [path, readlinkSync(path)])),
    directories: present.filter((path) => !isLink(path)),
    hidden: configurationBelowUsr.filter((path) => existsSync(path) && !isLink(path)),
    hiddenFiles: aboutTheMachine.filter((path) => existsSync(path)),
  };
}

/** True when a sandbox with everything that containers get really starts here. */
export function sandboxWorks(programs: Programs, root: SystemRoot): Promise<boolean> {
  return trial(programs, root, { network: 'none', script: 'process.exit(0)' });
}

/**
 * True when a connected sandbox starts and reaches neither the loopback address of this machine nor its own addresses,
 * by any name that they could have in there, and has no route to private networks or a metadata service. False closes
 * the internet to every container.
 */
export async function internetIsSafe(programs: Programs, root: SystemRoot): Promise<boolean> {
  const listener = createServer((socket) => socket.end());
  listener.listen(0, '0.0.0.0');
  await once(listener, 'listening');
  try {
    return await trial(programs, root, { network: 'internet', script: canary(listener) });
  } finally {
    listener.close();
  }
}

/** One address of each range that must have no route. */
const unroutable = ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1'];

/** Exits with 0 when no connection is made, and when every attempt that needs a route failed at once for the lack of one. */
function canary(listener: Server): string {
  const { port } = listener.address() as AddressInfo;
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const silent = [...new Set(['127.0.0.1', '10.0.2.2', ...own])];
  return `const net = require('node:net');
    let routes = ${unroutable.length};
    const reached = () => process.exit(1);
    for (const host of ${JSON.stringify(silent)}) net.connect({ host, port: ${port} }).on('connect', reached).on('error', () => {});
    for (const host of ${JSON.stringify(unroutable)}) net.connect({ host, port: 80 }).on('connect', reached).on('error', ({ code }) => {
      routes -= ['EHOSTUNREACH', 'ENETUNREACH'].includes(code) ? 1 : 0;
    });
    setTimeout(() => process.exit(routes), 1000);`;
}

async function trial(
  programs: Programs,
  root: SystemRoot,
  { network, script }: { network: ContainerSpec['network']; script: string },
): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'platform-trial-'));
  const container: ContainerSpec = {
    name: 'agent',
    server: null,
    program: { type: 'scripted' },
    network,
    uid: 2000,
  };
  const layout = sandboxLayout(programs);
  try {
    const config = {
      session_id: '',
      agent: { id: '', name: '', kind: 'worker', instructions: '', model: null },
      prompt: '',
      mcpServers: {},
    } as const;
    makeSessionDirectory(directory, {
      config: { ...config },
      containers: [container],
      relay: relayProgram(layout, null),
    });
    return await exitsWithZero({
      name: 'agent',
      argv: [layout.node, '-e', script],
      env: { PATH: layout.path },
      cwd: sessionFiles(directory).workspace('agent'),
      sandbox: renderSandbox(container, { directory, programs, root }),
      network,
    });
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function exitsWithZero(launch: ContainerLaunch): Promise<boolean> {
  const { process: child, stopNetwork } = await startContainer(launch, 'ignore');
  const timer = setTimeout(() => child.kill('SIGKILL'), trialTimeoutMs);
  try {
    const [exitCode] = await once(child, 'exit');
    return exitCode === 0;
  } finally {
    clearTimeout(timer);
    stopNetwork();
  }
}
