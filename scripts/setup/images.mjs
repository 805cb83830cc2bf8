/** The platform's images, built from deploy/Dockerfile for the tests of containers and Kubernetes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeBaseImage, problemOfBaseImage } from './base-image.mjs';
import { cachedImage, machineCache } from './machine-cache.mjs';
import { SetupError, withHeartbeat } from './progress.mjs';
import { run } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

/** In the order of the Dockerfile: each reuses what was built for the previous ones. */
const targets = ['sidecar', 'scripted', 'runner', 'platform', 'claude', 'acp'];
/** A build of its own, for docker-compose.yml. */
const demoIdentity = 'deploy/demo-identity';
const names = [...targets, 'demo-identity'];
/** The tag tells builds apart: several checkouts share one engine. */
const nameOf = (name, stamp) => `${cachedImage(name)}:${stamp.slice(0, 16)}`;

/**
 * Writes .cache/images.json: the image of each target, or null where none can be built. Builds
 * only when a source changed.
 */
export async function provideImages(root, environment) {
  const engine = JSON.parse(readFileSync(join(root, '.cache/container-engine.json'), 'utf8'));
  const { problem, stamp, done } =
    engine.problem === null ? await buildWhenMissing(root, environment, engine) : engine;
  const list = problem ? null : Object.fromEntries(names.map((name) => [name, nameOf(name, stamp)]));
  writeWhole(join(root, '.cache/images.json'), JSON.stringify(list));
  if (!problem) {
    return done;
  }
  if (environment.CI) {
    throw new SetupError(`The images: ${problem}\nCI leaves no test out.`);
  }
  return `left out (${problem.split('\n')[0]})`;
}

/**
 * Returns the `stamp` of the sources once their images exist, and what was `done` for it; or the
 * `problem` that prevents it.
 */
async function buildWhenMissing(root, environment, engine) {
  const stamp = hashOfSources(root);
  const runEngine = (args) =>
    run(engine.program, [...engine.arguments, ...args], {
      cwd: root,
      env: { ...environment, ...engine.environment },
    });
  if (await allThere(runEngine, stamp)) {
    return { stamp };
  }
  try {
    const base = await provideBase(root, environment, runEngine);
    if (base.problem !== null) {
      return { problem: base.problem };
    }
    await withHeartbeat('building the images', async () => {
      for (const target of targets) {
        await runEngine(['build', ...base.buildArguments, ...buildArguments(engine, target, stamp), '.']);
      }
      await runEngine([
        'build',
        ...base.buildArguments,
        '--tag',
        nameOf('demo-identity', stamp),
        demoIdentity,
      ]);
    });
    if (engine.address === null) {
      // Images of earlier sources. Younger ones serve as the cache of the next build.
      await runEngine(['image', 'prune', '--force', '--filter', 'until=24h']);
      await removeEarlier(runEngine, stamp);
    }
  } catch (error) {
    throw new SetupError(`The images were not built: ${error.message}`);
  }
  return { stamp, done: 'built' };
}

/** Removes the names of builds that are a day old. An image that a container uses stays. */
async function removeEarlier(runEngine, stamp) {
  const ours = names.flatMap((name) => ['--filter', `reference=${cachedImage(name)}`]);
  const options = [...ours, '--filter', 'until=24h', '--format', '{{.Repository}}:{{.Tag}}'];
  const listed = (await runEngine(['images', ...options])).split('\n');
  for (const name of listed.filter((text) => text !== '' && !text.endsWith(`:${stamp.slice(0, 16)}`))) {
    await runEngine(['rmi', name]).catch(() => undefined);
  }
}

const allThere = (runEngine, stamp) =>
  Promise.all(
    names.map((name) => runEngine(['image', 'inspect', '--format', '{{.Id}}', nameOf(name, stamp)])),
  ).then(
    () => true,
    () => false,
  );

function buildArguments(engine, target, stamp) {
  return [
    ...['--file', 'deploy/Dockerfile', '--target', target, '--tag', nameOf(target, stamp)],
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
  const made = cachedImage(`base:${version}`);
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
  const cache = machineCache(environment);
  await makeBaseImage({
    name: made,
    version,
    work: join(cache, `base-${process.pid}`),
    environment,
    runEngine,
  });
  return useMade(made);
}

/**
 * Uses the host's network: where nothing can be pulled, containers seldom reach more than the machine itself.
 */
const useMade = (name) => ({
  problem: null,
  buildArguments: ['--build-arg', `NODE_IMAGE=${name}`, '--network', 'host'],
});

/** Hashes everything that .dockerignore lets into the build, and the demo identity provider. */
function hashOfSources(root) {
  const allowed = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const files = [
    '.dockerignore',
    'deploy/Dockerfile',
    ...[...allowed, demoIdentity].flatMap((path) => filesBelow(root, path)),
  ];
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
