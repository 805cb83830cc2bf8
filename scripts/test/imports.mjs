/** Which files of this project a test file imports, directly or not. */
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * By test file, a set of paths, its own among them; all from the project's root. Packages and files that are
 * read or started are not in it.
 */
export async function importsOf(root, files) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => join(root, file)),
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: join(root, '.cache/imports'),
    write: false,
    metafile: true,
    logLevel: 'silent',
    loader: { '.css': 'empty', '.svg': 'empty' },
  });
  const direct = new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      imports.filter(({ external }) => !external).map((one) => one.path),
    ]),
  );
  return new Map(files.map((file) => [file, reachedFrom(file, direct)]));
}

function reachedFrom(file, direct) {
  const reached = new Set([file]);
  for (const path of reached) {
    for (const next of direct.get(path) ?? []) {
      reached.add(next);
    }
  }
  return reached;
}
