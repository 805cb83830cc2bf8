/** Looks for one file at the root of an image in one of its layers. */
import { ImageError } from '../errors.ts';
import { entryPath } from '../tar/entry-path.ts';
import type { TarEntry } from '../tar/read-tar.ts';

/** `removed`: the layer hides what the layers below it have. */
export type Finding = { kind: 'file'; content: Buffer } | { kind: 'removed' | 'absent' };

/**
 * Reads the layer to its end: when a path occurs twice, the later one wins. Links are never followed, whether
 * at the path or above it. Throws ImageError when what is at the path is not a regular file of at most
 * `maxBytes`, and for an unsafe path anywhere.
 */
export async function findFile(
  entries: AsyncIterable<TarEntry>,
  name: string,
  maxBytes: number,
): Promise<Finding> {
  let found: Finding = { kind: 'absent' };
  let isHidden = false;
  for await (const entry of entries) {
    const path = entryPath(entry.path);
    if (path === '' && entry.type !== 'directory') {
      throw new ImageError('unsafe_path', `a layer of the image has a ${entry.type} as its root`);
    }
    if (path === name) {
      found = { kind: 'file', content: await readFile(entry, name, maxBytes) };
    }
    isHidden ||= path === `.wh.${name}` || path === '.wh..wh..opq';
  }
  // A whiteout hides what lower layers have, not what is beside it.
  return found.kind === 'absent' && isHidden ? { kind: 'removed' } : found;
}

async function readFile(entry: TarEntry, name: string, maxBytes: number): Promise<Buffer> {
  if (entry.type !== 'file') {
    throw new ImageError(
      'manifest_not_a_file',
      `/${name} of the image is a ${entry.type}; it must be a regular file`,
    );
  }
  if (entry.sizeBytes > maxBytes) {
    throw new ImageError('manifest_too_large', `/${name} of the image is larger than ${maxBytes} bytes`);
  }
  return entry.read();
}
