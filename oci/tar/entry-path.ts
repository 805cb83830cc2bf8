import { ImageError } from '../errors.ts';

/**
 * Where an entry lies below the image's root, as `etc/hosts`; empty for the root itself. `./a`, `/a` and `a//` are `a`, as for
 * container engines. Throws ImageError `unsafe_path` for `..`, on which they differ: no tool that builds images writes it.
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
