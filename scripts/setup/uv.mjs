/** uv, which loads Python packages: tests of the process runtime need the real one. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { installPythonPackages } from './python-packages.mjs';
import { which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const requirements = 'test/support/uv-requirements.txt';

/** Writes .cache/uv.json: the program, or null where it is unavailable. */
export async function provideUv(root, environment) {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, requirements)))
    .digest('hex')
    .slice(0, 12);
  const cacheRoot = machineCache(environment);
  const directory = join(cacheRoot, `uv-${hash}`);
  const list = join(root, '.cache/uv.json');
  if (existsSync(join(directory, 'complete'))) {
    writeWhole(list, JSON.stringify(join(directory, 'bin/uv')));
    return undefined;
  }
  try {
    await install(join(root, requirements), directory);
    writeWhole(list, JSON.stringify(join(directory, 'bin/uv')));
    return 'installed';
  } catch (error) {
    if (environment.CI) {
      throw new SetupError(`uv: ${error.message}\nCI leaves no test out.`);
    }
    writeWhole(list, 'null');
    return `left out (${error.message.split('\n')[0]})`;
  }
}

async function install(file, directory) {
  if (which('python3') === null) {
    throw new Error('python3 is not installed');
  }
  await withHeartbeat('installing uv', () => installPythonPackages(file, directory));
  writeFileSync(join(directory, 'complete'), '');
}
