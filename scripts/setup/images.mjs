/** The platform's images, built from deploy/Dockerfile for the tests of containers and Kubernetes. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeBaseImage, problemOfBaseImage } from './base-image.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { run } from './run.mjs';

/** In the order of the Dockerfile: what is built for one is there for the next. */
const targets = ['sidecar', 'scripted', 'runner', 'platform'];
const nameOf = (target) => `localhost/agent-platform/${target}:test`;

/** Writes .cache/images.json: the image of each target, or null where none can be built. Builds only when a source changed. */
export async function provideImages(root, environment) {
  const listFile = join(root, '.cache/images.json');
  const engine = JSON.parse(readFileSync(join(root, '.cache/container-engine.json'), 'utf8'));
  const problem = engine.problem ?? (await buildWhenChanged(root, environment, engine));
  if (problem === null || problem === 'built') {
    writeFileSync(
      listFile,
      JSON.stringify(Object.fromEntries(targets.map((target) => [target, nameOf(target)]))),
    );
    return problem ?? undefined;
  }
  writeFileSync(listFile, 'null');
  if (environment.CI) {
    throw new SetupError(`The images: ${problem}\nCI leaves no test out.`);
  }
  return `left out (${problem.split('\n')[0]})`;
}

/** Null when all are there as the sources are, 'built', or why they cannot be. */
async function buildWhenChanged(root, environment, engine) {
  const runEngine = (args) =>
    run(engine.program, [...engine.arguments, ...args], {
      cwd: root,
      env: { ...environment, ...engine.environment },
    });
  const stampFile = join(root, '.cache/images.sha256');
  const stamp = hashOfSources(root);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && (await allThere(runEngine))) {
    return null;
  }
  try {
    const base = await provideBase(root, environment, runEngine);
    if (base.problem !== null) {
      return base.problem;
    }
    await withHeartbeat('building the images', async () => {
      for (const target of targets) {
        await runEngine(['build', ...base.buildArguments, ...buildArguments(engine, target), '.']);
      }
    });
    if (engine.address === null) {
      // Of earlier sources. Younger ones are the cache of the next build.
      await runEngine(['image', 'prune', '--force', '--filter', 'until=24h']);
    }
  } catch (error) {
    throw new SetupError(`The images were not built: ${error.message}`);
  }
  writeFileSync(stampFile, stamp);
  return 'built';
}

const allThere = (runEngine) =>
  Promise.all(
    targets.map((target) => runEngine(['image', 'inspect', '--format', '{{.Id}}', nameOf(target)])),
  ).then(
    () => true,
    () => false,
  );

function buildArguments(engine, target) {
  return [
    ...['--file', 'deploy/Dockerfile', '--target', target, '--tag', nameOf(target)],
    // Stages that do not need each other are built side by side, which docker does by itself.
    ...(engine.program === 'podman' && engine.address === null ? ['--jobs', '2'] : []),
  ];
}

/** The base that the Dockerfile names where it can be pulled, else one that is made here. */
async function provideBase(root, environment, runEngine) {
  const [, image, version] = /^ARG NODE_IMAGE=(node:([\d.]+)\S*)$/m.exec(
    readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'),
  );
  const there = (name) =>
    runEngine(['image', 'inspect', '--format', '{{.Id}}', name]).then(
      () => true,
      () => false,
    );
  const made = `localhost/agent-platform/base:${version}`;
  const pulled = `docker.io/library/${image}`;
  if (await there(made)) {
    return useMade(made);
  }
  if (
    (await there(pulled)) ||
    (await runEngine(['pull', pulled]).then(
      () => true,
      () => false,
    ))
  ) {
    return { problem: null, buildArguments: ['--build-arg', `NODE_IMAGE=${pulled}`] };
  }
  const problem = problemOfBaseImage();
  if (problem !== null) {
    return { problem: `${image} cannot be pulled, and no base image made here (${problem})` };
  }
  const cache = join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-platform');
  await makeBaseImage({
    name: made,
    version,
    work: join(cache, `base-${process.pid}`),
    environment,
    runEngine,
  });
  return useMade(made);
}

/** What cannot pull is seldom a machine whose containers reach more than the machine itself does. */
const useMade = (name) => ({
  problem: null,
  buildArguments: ['--build-arg', `NODE_IMAGE=${name}`, '--network', 'host'],
});

/** Of everything that .dockerignore lets into the build. */
function hashOfSources(root) {
  const allowed = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const files = ['.dockerignore', 'deploy/Dockerfile', ...allowed.flatMap((path) => filesBelow(root, path))];
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(root, path) {
  if (!statSync(join(root, path)).isDirectory()) {
    return [path];
  }
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath.slice(root.length), entry.name));
}
