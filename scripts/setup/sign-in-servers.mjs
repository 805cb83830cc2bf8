/**
 * Authorization servers of others, which people sign in at in tests: Keycloak, and those of
 * FastMCP and the Python SDK.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideKeycloak } from './keycloak.mjs';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { installPythonPackages } from './python-packages.mjs';
import { writeWhole } from './write-whole.mjs';

/**
 * Writes .cache/sign-in-servers.json: the directory of Keycloak and the program of Python, or null
 * where one is unavailable.
 */
export async function provideSignInServers(root, environment) {
  const file = join(root, '.cache/sign-in-servers.json');
  try {
    const python = await providePython(root, environment);
    const keycloak = await provideKeycloak(environment);
    writeWhole(file, JSON.stringify({ keycloak: keycloak.directory, python: python.program }));
    return [python.done, keycloak.done].filter(Boolean).join(', ') || undefined;
  } catch (error) {
    if (environment.CI || environment.TEST_MODE === 'long') {
      throw new SetupError(
        `Servers to sign in at: ${error.message}\nNeither CI nor the long mode leaves their tests out.`,
      );
    }
    writeWhole(file, 'null');
    return `left out (${error.message.split('\n')[0]})`;
  }
}

async function providePython(root, environment) {
  const requirements = join(root, 'test/end-to-end/sign-in/requirements.txt');
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const directory = machineCache(environment, `sign-in-python-${hash}`);
  const complete = join(directory, 'complete');
  const done = await onceOnThisMachine(
    directory,
    () => existsSync(complete),
    async () => {
      await withHeartbeat('installing FastMCP', () => installPythonPackages(requirements, directory));
      writeFileSync(complete, '');
      return 'FastMCP installed';
    },
  );
  return { program: join(directory, 'bin/python'), done };
}
