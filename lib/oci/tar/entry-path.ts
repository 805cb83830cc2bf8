import { ImageError } from '../errors.ts';

/**
 * Where an entry lies below the image's root, as `etc/hosts`; empty for the root itself. `./a`, `/a` and
 * `a//` are `a`, as for container engines. Throws ImageError `unsafe_path` for `..`, which they treat
 * differently and no image builder writes.
 */
export function entryPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) {
    throw new ImageError(
      'unsafe_path',
      `a layer of the image has the path ${JSON.stringify(path.slice(0, 200))}`,
    );
  }
  return parts.join('/');
}
