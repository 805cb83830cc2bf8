/**
 * Debian's docker-registry: the reference implementation of the registry protocol, on a port
 * and a directory of its own.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Blob, digestOf, type TestImage } from './images.ts';

export const hasDockerRegistry = spawnSync('docker-registry', ['--version']).error === undefined;

export interface DockerRegistry {
  /** `address:port`. */
  host: string;
  stop(): Promise<void>;
}

/**
 * Serves what is below `storage` on an address of this machine; `settings` are further top-level parts of its
 * configuration, `http` parts of that one.
 */
export async function startDockerRegistry(
  storage: string,
  { address = '127.0.0.1', http = {}, ...settings }: { address?: string; http?: object; auth?: object } = {},
): Promise<DockerRegistry> {
  const directory = await mkdtemp(join(tmpdir(), 'registry-'));
  const configuration = {
    version: 0.1,
    log: { level: 'info', formatter: 'json' },
    storage: { filesystem: { rootdirectory: storage }, delete: { enabled: true } },
    // The system assigns a port, which it logs.
    http: { addr: `${address}:0`, ...http },
    ...settings,
  };
  // JSON is YAML.
  await writeFile(join(directory, 'config.yml'), JSON.stringify(configuration));
  const child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const host = `${address}:${await listeningPort(child)}`;
  return {
    host,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}

/** The port, which it logs once it listens. Throws with everything that it logged when it exits before. */
async function listeningPort(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  if (child.stderr !== null) {
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      const [, port] = /listening on (?:[\d.]+|\[::\]):(\d+)/.exec(line) ?? [];
      if (port !== undefined) {
        child.stderr.resume();
        return port;
      }
    }
  }
  throw new Error(`docker-registry did not start: ${said.join('\n')}`);
}

/**
 * Pushes an image as clients do: each blob by an upload, then the manifest under its tag. The
 * registry must be an open one.
 */
export async function pushImage(
  host: string,
  repository: string,
  tag: string,
  image: TestImage,
): Promise<void> {
  for (const { bytes } of image.blobs) {
    const started = await fetch(`http://${host}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    const upload = new URL(started.headers.get('location') ?? '', `http://${host}`);
    upload.searchParams.set('digest', digestOf(bytes));
    await put(upload, { mediaType: 'application/octet-stream', bytes });
  }
  await pushManifest(host, repository, tag, image.manifest);
}

/** Stores a manifest or an index; what it names must be there. */
export async function pushManifest(host: string, repository: string, tag: string, blob: Blob): Promise<void> {
  await put(new URL(`http://${host}/v2/${repository}/manifests/${tag}`), blob);
}

async function put(url: URL, { mediaType, bytes }: Blob): Promise<void> {
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': mediaType },
    body: new Uint8Array(bytes),
  });
  if (answer.status !== 201) {
    throw new Error(`PUT ${url.pathname} answered ${answer.status}: ${await answer.text()}`);
  }
}
