/** Helm and Compose, with which tests install the platform as its users do: those on the PATH, or built with Go once. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceOnThisMachine } from './lock.mjs';
import { machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { runGo, which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

const tools = [
  { name: 'helm', module: 'helm.sh/helm/v3', version: '3.22.0', package: 'helm.sh/helm/v3/cmd/helm' },
  {
    name: 'docker-compose',
    module: 'github.com/docker/compose/v2',
    version: '2.40.3',
    package: 'github.com/docker/compose/v2/cmd',
  },
];

/** Writes .cache/deployment-tools.json: by name, the program, or null where it is unavailable. */
export async function provideDeploymentTools(root, environment) {
  const cacheRoot = machineCache(environment);
  const found = {};
  const done = [];
  for (const tool of tools) {
    const directory = join(cacheRoot, `${tool.name}-${tool.version}`);
    const cached = join(directory, tool.name);
    found[tool.name] = which(tool.name) ?? cached;
    const isThere = () => existsSync(found[tool.name]);
    const problem = await onceOnThisMachine(directory, isThere, () =>
      which('go') === null ? 'Go is not installed' : build(tool, cached, environment),
    );
    if (problem === undefined) {
      continue;
    }
    if (problem === null) {
      done.push(`${tool.name} built`);
    } else if (environment.CI) {
      throw new SetupError(`${tool.name}: ${problem}\nCI leaves no test out.`);
    } else {
      found[tool.name] = null;
      done.push(`${tool.name} left out (${problem.split('\n')[0]})`);
    }
  }
  writeWhole(join(root, '.cache/deployment-tools.json'), JSON.stringify(found));
  return done.join(', ') || undefined;
}

/** Null, or why it could not be built. */
async function build(tool, target, environment) {
  const work = `${join(target, '..')}-${process.pid}`;
  const options = { cwd: work, env: { ...environment, CGO_ENABLED: '0' } };
  mkdirSync(work, { recursive: true });
  try {
    await withHeartbeat(`building ${tool.name}`, async () => {
      await writeModule(tool, work, options);
      const flags = ['-mod=mod', '-trimpath', '-ldflags', '-s -w', '-o', join(work, tool.name)];
      await runGo(['build', ...flags, tool.package], options);
    });
    mkdirSync(join(target, '..'), { recursive: true });
    renameSync(join(work, tool.name), target);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes a module that requires the tool's at the tool's own versions: `replace` and `exclude` only count in a main module. */
async function writeModule({ module, version }, work, options) {
  const fetched = await runGo(['mod', 'download', '-json', `${module}@v${version}`], options);
  const own = readFileSync(JSON.parse(fetched).GoMod, 'utf8').replace(/^module .*$/m, 'module tool');
  writeFileSync(join(work, 'go.mod'), `${own}\nrequire ${module} v${version}\n`);
}
