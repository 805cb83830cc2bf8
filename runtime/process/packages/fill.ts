/**
 * Loads packages in a separate sandbox, whose one way out leads to the operator's registry,
 * and stores what it sends.
 */
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { PackageRequest } from '../../../contract/package-request.ts';
import { handedOver } from '../handed-over.ts';
import { type StartedContainer, startContainer } from '../host/start-container.ts';
import { sessionFiles } from '../layout.ts';
import { makeSessionDirectory } from '../session-directory.ts';
import { type Egress, type OutboundProxy, openEgress } from './egress.ts';
import { PackagesError } from './errors.ts';
import { failureOf, lateness } from './failure.ts';
import { fillSockets } from './inside/order.ts';
import { type TreeManifest, writeManifest } from './manifest.ts';
import { receiveTree, type TreeLimits } from './receive-tree.ts';
import { type Registries, type Registry, withoutCredential } from './registries.ts';
import { type FillMachine, fillContainer, renderFill } from './render-fill.ts';
import { createTail } from './tail.ts';

export interface PackageSettings {
  registries: Registries;
  outboundProxy: OutboundProxy | null;
  /** PEM beside the system's authorities, for the registries. */
  certificateAuthorities: string | null;
  limits: TreeLimits;
  /** How long a registry may send nothing. */
  silenceMs: number;
}

export interface FilledTree {
  manifest: TreeManifest;
  /** Of the manifest. */
  digest: string;
}

interface FillOptions {
  machine: FillMachine;
  settings: PackageSettings;
  registry: Registry;
  signal: AbortSignal;
  /** Called every few seconds. */
  onProgress(receivedBytes: number): void;
}

const tailBytes = 4096;
const progressMs = 5000;

/**
 * Creates `directory`, with `tree/` and its manifest. Throws PackagesError, or the reason of `signal`; the
 * caller then removes what is left in the directory.
 */
export async function fillPackages(
  request: PackageRequest,
  directory: string,
  { machine, settings, registry, signal, onProgress }: FillOptions,
): Promise<FilledTree> {
  const { limits } = settings;
  const stopped = new AbortController();
  const ended = AbortSignal.any([signal, stopped.signal]);
  const tree = join(directory, 'tree');
  mkdirSync(tree, { recursive: true, mode: 0o700 });
  const sandbox = makeSandboxDirectory(join(directory, 'sandbox'));
  const sockets = openSync(sessionFiles(sandbox).serverView(fillContainer.name), 'r');
  // A socket's path has 107 bytes at most, and the cache's directory may have more.
  const socketPath = (name: string) => `/proc/self/fd/${sockets}/${name}`;
  const egress = await openEgress({
    socketPath: socketPath(fillSockets.egress),
    destinations: [registry.url, ...registry.fileHosts.map((host) => new URL(`https://${host}`))],
    outboundProxy: settings.outboundProxy,
    maxBytes: 2 * limits.sizeBytes,
    onTooMuch: () =>
      stopped.abort(new PackagesError('the packages are larger than PACKAGE_MAX_BYTES allows')),
    silenceMs: settings.silenceMs,
  });
  const progress = setInterval(() => onProgress(egress.seen().receivedBytes), progressMs);
  const result = createServer();
  result.listen(socketPath(fillSockets.result));
  let started: StartedContainer | null = null;
  try {
    await once(result, 'listening');
    const caFile = writeAuthorities(sandbox, settings.certificateAuthorities);
    const maxBytes = limits.sizeBytes;
    const launch = renderFill(request, { machine, directory: sandbox, maxBytes, registry, caFile });
    started = await startContainer({ ...launch, name: basename(directory) }, 'pipe');
    const manifest = await taken({ started, result, tree, limits, signal: ended, egress, registry });
    return { manifest, digest: await writeManifest(directory, manifest) };
  } catch (error) {
    throw isTimeout(error) ? lateness(egress.seen(), Date.now()) : error;
  } finally {
    stopped.abort();
    clearInterval(progress);
    started?.process.kill('SIGKILL');
    egress.close();
    result.close();
    closeSync(sockets);
  }
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

/** All in one file: uv trusts those in the file alone. */
function writeAuthorities(directory: string, authorities: string | null): string | null {
  if (authorities === null) {
    return null;
  }
  const file = join(directory, 'authorities.pem');
  writeFileSync(file, [...rootCertificates, authorities].join('\n'));
  return file;
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
  egress: Egress;
  registry: Registry;
}

/** Whichever comes first: the tree, the sandbox's end without one, or the signal. */
async function taken({
  started,
  result,
  tree,
  limits,
  signal,
  egress,
  registry,
}: Taking): Promise<TreeManifest> {
  const tail = createTail(started.process.stdout, tailBytes);
  return handedOver(result, {
    process: started.process,
    signal,
    receive: (socket) => receiveTree(socket, tree, limits),
    async endedWithout() {
      const written = withoutCredential(await tail(), registry);
      throw failureOf({ seen: egress.seen(), written, registryHost: registry.url.host });
    },
  });
}
