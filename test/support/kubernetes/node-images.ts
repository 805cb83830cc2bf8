/** Images in the node's own store, where a Pod finds them without a registry. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { digestOf, image, jsonBlob, type TestImage, tar } from '../images.ts';
import { pauseImage } from './node-files.ts';
import { ctrArguments } from './node-parts.ts';
import type { NodePlace } from './node-place.ts';

const run = promisify(execFile);

/**
 * Loads an archive (of `podman save`, or an OCI layout) that holds `name`. Answers the reference by
 * digest that Pods may use.
 */
export async function importArchive(place: NodePlace, file: string, name: string): Promise<string> {
  await ctr(place, 'images', 'import', file);
  const listed = await ctr(place, 'images', 'list', `name==${name}`);
  const [digest] = /sha256:[0-9a-f]{64}/.exec(listed) ?? [];
  if (digest === undefined) {
    throw new Error(`${file} holds no image called ${name}`);
  }
  const repository = name.replace(/:[^/:]+$/, '');
  const pinned = `${repository}@${digest}`;
  await ctr(place, 'images', 'tag', '--force', name, pinned);
  await removeEarlier(place, repository, pinned);
  return pinned;
}

/** True when a Pod that names this finds it without a registry. */
export async function hasImage(place: NodePlace, reference: string): Promise<boolean> {
  return (await ctr(place, 'images', 'list', '--quiet', `name==${reference}`)).trim() === reference;
}

/** The store is kept from run to run, and would grow with each change of an image. */
async function removeEarlier(place: NodePlace, repository: string, kept: string): Promise<void> {
  const names = (await ctr(place, 'images', 'list', '--quiet')).split('\n');
  const earlier = names.filter((name) => name.startsWith(`${repository}@`) && name !== kept);
  if (earlier.length > 0) {
    await ctr(place, 'images', 'remove', ...earlier);
  }
}

async function ctr(place: NodePlace, ...args: string[]): Promise<string> {
  return (await run('ctr', [...ctrArguments(place), ...args], { maxBuffer: 16 * 1024 * 1024 })).stdout;
}

/** The container that holds a Pod's network: one static program that waits. */
export async function importPauseImage(place: NodePlace, program: Buffer): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pause-'));
  try {
    const file = join(directory, 'pause.tar');
    writeFileSync(file, pauseArchive(program));
    await importArchive(place, file, pauseImage);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** An image that only waits until it is asked to exit. */
export function waitingImage(program: Buffer): TestImage {
  return image({
    layers: [tar([{ path: 'pause', content: program, mode: 0o755 }])],
    config: { Entrypoint: ['/pause'] },
  });
}

function pauseArchive(program: Buffer): Buffer {
  const { manifest, digest, blobs } = waitingImage(program);
  const index = jsonBlob('application/vnd.oci.image.index.v1+json', {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: manifest.mediaType,
        digest,
        size: manifest.bytes.length,
        annotations: { 'io.containerd.image.name': pauseImage },
      },
    ],
  });
  return tar([
    { path: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { path: 'index.json', content: index.bytes },
    ...[manifest, ...blobs].map(({ bytes }) => ({
      path: `blobs/${digestOf(bytes).replace(':', '/')}`,
      content: bytes,
    })),
  ]);
}
