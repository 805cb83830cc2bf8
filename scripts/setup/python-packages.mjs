/** Python packages in an environment of their own: as the list says, by checksum, and without building any of them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

/** What was in the directory is removed. `flags` are more of pip's. */
export async function installPythonPackages(requirements, directory, flags = []) {
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
    ...flags,
    '--requirement',
    requirements,
  ]);
}
