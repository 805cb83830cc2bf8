/** Loads packages in a separate sandbox, whose only way out is the platform's proxy, and stores what it sends. */
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { saysPackageNotFound } from '../../../contract/package-managers.ts';
import type { PackageRequest } from '../../../contract/package-request.ts';
import { type StartedContainer, startContainer } from '../host/start-container.ts';
import { sessionFiles } from '../layout.ts';
import { makeSessionDirectory } from '../session-directory.ts';
import { PackagesError } from './errors.ts';
import { fillSockets } from './inside/order.ts';
import { type TreeManifest, writeManifest } from './manifest.ts';
import { openRegistryProxy } from './proxy/open-proxy.ts';
import type { OutboundProxy, Registries } from './proxy/registries.ts';
import { createUpstream } from './proxy/upstream.ts';
import { receiveTree, type TreeLimits } from './receive-tree.ts';
import { type FillMachine, fillContainer, renderFill } from './render-fill.ts';
import { createTail } from './tail.ts';

export interface PackageSettings {
  registries: Registries;
  outboundProxy: OutboundProxy | null;
  /** Hosts of files that may have private addresses, beside the registries' own. */
  privateHosts: readonly string[];
  /** PEM beside the system's authorities, for the registries. */
  certificateAuthorities: string | null;
  limits: TreeLimits;
  /** Until a registry begins to answer. */
  answerTimeoutMs: number;
}

export interface FilledTree {
  manifest: TreeManifest;
  /** Of the manifest. */
  digest: string;
}

const tailBytes = 2048;

/**
 * Creates `directory`, with `tree/` and its manifest. Throws PackagesError, or the reason of `signal`; the caller then
 * removes what is left in the directory.
 */
export async function fillPackages(
  request: PackageRequest,
  directory: string,
  { machine, settings, signal }: { machine: FillMachine; settings: PackageSettings; signal: AbortSignal },
): Promise<FilledTree> {
  const stopped = new AbortController();
  const ended = AbortSignal.any([signal, stopped.signal]);
  const tree = join(directory, 'tree');
  mkdirSync(tree, { recursive: true, mode: 0o700 });
  const sandbox = makeSandboxDirectory(join(directory, 'sandbox'));
  const sockets = openSync(sessionFiles(sandbox).serverView(fillContainer.name), 'r');
  // A socket's path has 107 bytes at most, and the cache's directory may have more.
  const socketPath = (name: string) => `/proc/self/fd/${sockets}/${name}`;
  const proxy = await openRegistryProxy({
    socketPath: socketPath(fillSockets.registry),
    registries: settings.registries,
    upstream: createUpstream({ ...settings, signal: ended }),
    maxDownloadBytes: 2 * settings.limits.sizeBytes,
    onFault: (fault) => stopped.abort(fault),
  });
  const result = createServer();
  result.listen(socketPath(fillSockets.result));
  let started: StartedContainer | null = null;
  try {
    await once(result, 'listening');
    const launch = renderFill(request, { machine, directory: sandbox, maxBytes: settings.limits.sizeBytes });
    started = await startContainer({ ...launch, name: basename(directory) }, 'pipe');
    const manifest = await taken({ started, result, tree, limits: settings.limits, signal: ended });
    return { manifest, digest: await writeManifest(directory, manifest) };
  } finally {
    stopped.abort();
    started?.process.kill('SIGKILL');
    proxy.close();
    result.close();
    closeSync(sockets);
  }
}

function makeSandboxDirectory(directory: string): string {
  makeSessionDirectory(directory, {
    config: {
      session_id: '',
      agent: { id: '', name: '', kind: 'worker', instructions: '', model: null },
      prompt: '',
      mcpServers: {},
    },
    containers: [fillContainer],
    relay: { node: '', program: '' },
  });
  return directory;
}

interface Taking {
  started: StartedContainer;
  result: Server;
  tree: string;
  limits: TreeLimits;
  signal: AbortSignal;
}

async function nextConnection(server: Server, signal: AbortSignal): Promise<Socket> {
  const [socket]: Socket[] = await once(server, 'connection', { signal });
  if (socket === undefined) {
    throw new Error('there is no connection');
  }
  return socket;
}

/** Whichever comes first: the tree, the sandbox's end without one, or the signal. */
async function taken({ started, result, tree, limits, signal }: Taking): Promise<TreeManifest> {
  const tail = createTail(started.process.stdout, tailBytes);
  const given = new AbortController();
  const options = { signal: given.signal };
  const handedOver = nextConnection(result, given.signal).then(async (socket) => {
    const abandon = () => socket.destroy();
    signal.addEventListener('abort', abandon, { once: true });
    try {
      return await receiveTree(socket, tree, limits);
    } finally {
      signal.removeEventListener('abort', abandon);
      socket.destroy();
    }
  });
  const endedWithout = once(started.process, 'exit', options).then(async () => {
    const written = await tail();
    const shownAs = saysPackageNotFound(written) ? 'package_not_found' : 'exited';
    throw new PackagesError('the package manager could not load the packages', { shownAs, written });
  });
  const stopped = once(signal, 'abort', options).then(() => {
    throw signal.reason;
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([handedOver, endedWithout, stopped]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    given.abort();
    await Promise.allSettled([handedOver, endedWithout, stopped]);
  }
}
