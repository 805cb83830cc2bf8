/**
 * MCP servers of the Python and Go SDKs, which the differential fuzz test puts behind the gate (test/fuzz).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { installPythonPackages } from './python-packages.mjs';
import { runGo, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const servers = [
  {
    name: 'python',
    program: 'python3',
    source: 'test/fuzz/servers/requirements.txt',
    install: installPython,
  },
  { name: 'go', program: 'go', source: 'test/fuzz/servers/go-server', install: buildGo },
];

/** Writes .cache/oracle-servers.json: by name, the program to start, or null where it is unavailable. */
export async function provideOracleServers(root, environment) {
  const results = await Promise.all(servers.map((server) => provide(server, root, environment)));
  const found = Object.fromEntries(servers.map(({ name }, index) => [name, results[index].program]));
  writeWhole(join(root, '.cache/oracle-servers.json'), JSON.stringify(found));
  return results.flatMap(({ done }) => done ?? []).join(', ') || undefined;
}

/** Returns the `program`, or null where it is unavailable, and what was `done`. */
async function provide({ name, program, source, install }, root, environment) {
  const directory = join(machineCache(environment), `oracle-${name}-${hashOf(join(root, source))}`);
  const executable = join(directory, name === 'python' ? 'bin/python' : 'server');
  if (existsSync(join(directory, 'complete'))) {
    return { program: executable };
  }
  const problem =
    which(program) === null
      ? `${program} is not installed`
      : await install(join(root, source), directory, environment).then(
          () => null,
          (error) => error.message,
        );
  if (problem === null) {
    writeFileSync(join(directory, 'complete'), '');
    return { program: executable, done: `${name} installed` };
  }
  if (environment.CI) {
    throw new SetupError(`The ${name} MCP server: ${problem}\nCI leaves no test out.`);
  }
  return { program: null, done: `${name} left out (${problem.split('\n')[0]})` };
}

async function installPython(requirements, directory) {
  await withHeartbeat('installing the MCP SDK of Python', () =>
    installPythonPackages(requirements, directory),
  );
}

async function buildGo(source, directory, environment) {
  mkdirSync(directory, { recursive: true });
  const unfinished = join(directory, `server-${process.pid}`);
  await withHeartbeat('building an MCP server with the SDK of Go', () =>
    runGo(['build', '-o', unfinished, '.'], { cwd: source, env: { ...environment, CGO_ENABLED: '0' } }),
  );
  renameSync(unfinished, join(directory, 'server'));
}

/** Hashes a file, or the files in a directory. */
function hashOf(path) {
  const files = path.endsWith('.txt') ? [path] : readdirSync(path).map((name) => join(path, name));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 12);
}
