/** Pure: validates paths and links of a package tree. */
import { posix } from 'node:path';
import { PackagesError } from './errors.ts';
import { packagesInside } from './tree-stream.ts';

const maxPathBytes = 1024;
const maxNameBytes = 255;

/** Throws PackagesError for a path that leads out of its tree, or that no file system accepts. */
export function checkPath(path: string): void {
  const parts = path.split('/');
  const isFine = parts.every(
    (part) =>
      part !== '' &&
      part !== '.' &&
      part !== '..' &&
      !part.includes('\0') &&
      Buffer.byteLength(part) <= maxNameBytes,
  );
  if (!isFine || Buffer.byteLength(path) > maxPathBytes) {
    throw new PackagesError('the packages hold a file whose path is not allowed');
  }
}

/**
 * Links stay among the packages, or lead to programs of the system, which every sandbox
 * has. Throws PackagesError.
 */
export function checkLink(path: string, target: string): void {
  const resolved = posix.resolve(packagesInside, posix.dirname(path), target);
  const isInside = resolved.startsWith(`${packagesInside}/`);
  const isSystem = target.startsWith('/') && resolved.startsWith('/usr/');
  if (!(isInside || isSystem) || target === '' || target.includes('\0')) {
    throw new PackagesError('the packages hold a link that leads elsewhere');
  }
}
