/**
 * A real Docker Engine of the tests' own (Debian's docker.io), beside podman: with its own
 * images, networks and socket.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { identify, stopProcess } from '../../runtime/process/process-identity.ts';
import { cachedImage, machineCache } from '../../scripts/setup/machine-cache.mjs';
import { dockerSocket } from './container-engine.ts';
import { eventually } from './eventually.ts';
import { requirePlatformImages } from './platform-images.ts';

const run = promisify(execFile);
const cache = machineCache(process.env);
const ownImages = cachedImage('*');
const stopLimitMs = 60_000;
const madeBase = cachedImage('base');

/** It requires root, and Docker's command line. */
export const hasDockerd =
  process.getuid?.() === 0 &&
  spawnSync('dockerd', ['--version']).status === 0 &&
  spawnSync('docker', ['--version']).status === 0;

/** Starts it, with the platform's images. `builtBy` is the engine that built them, as a command line. */
export async function startDockerEngine(builtBy: {
  program: string;
  args: string[];
  environment: Record<string, string>;
}): Promise<{ stop(): Promise<void> }> {
  // If Docker turned this on itself, it would also drop all forwarding of the machine's other networks.
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  const place = join(dockerSocket, '..');
  await endOrphan(join(place, 'docker.pid'));
  rmSync(dockerSocket, { force: true });
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const child = spawn(
    'dockerd',
    [
      ...['--host', `unix://${dockerSocket}`, '--pidfile', join(place, 'docker.pid')],
      ...['--data-root', join(cache, 'docker'), '--exec-root', join(place, 'exec')],
      // Registries of tests, at the addresses that Docker gives the machine in its networks.
      ...['172.16.0.0/12', '192.168.0.0/16'].flatMap((range) => ['--insecure-registry', range]),
      ...['--log-level', 'warn', '--config-file', emptySettings(place)],
    ],
    { stdio: 'ignore' },
  );
  const stop = () => stopped(child);
  try {
    await eventually(async () => void (await docker(['version'])));
    await loadImages(builtBy);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** Stops the engine of a run that was killed: it holds the data directory. */
async function endOrphan(pidFile: string): Promise<void> {
  const found = existsSync(pidFile) ? identify(Number(readFileSync(pidFile, 'utf8'))) : null;
  if (found === null) {
    return;
  }
  const status = readFileSync(`/proc/${found.pid}/status`, 'utf8');
  if (/^Name:\tdockerd$/m.test(status) && /^PPid:\t1$/m.test(status)) {
    await stopProcess(found, [{ signal: 'SIGTERM', waitMs: stopLimitMs }]);
  }
}

const docker = (args: readonly string[], environment: Record<string, string> = {}) =>
  run('docker', ['--host', `unix://${dockerSocket}`, ...args], {
    env: { ...process.env, ...environment },
    maxBuffer: 16 * 1024 * 1024,
  });

/** Builds with Docker's own builder, on the same base image as the others where that was built locally. */
export async function buildOnDocker({
  file,
  target,
  tag,
}: {
  file: string;
  target: string;
  tag: string;
}): Promise<void> {
  const base = await docker(['images', '--format', '{{.Repository}}:{{.Tag}}', madeBase]);
  const [name = ''] = base.stdout.split('\n');
  const onBase = name === '' ? [] : ['--network', 'host', '--build-arg', `NODE_IMAGE=${name}`];
  const what = ['--file', file, '--target', target, '--tag', tag];
  await docker(['build', '--quiet', ...onBase, ...what, '.'], { DOCKER_BUILDKIT: '0' });
  // From builds of earlier sources. Younger ones are the next build's cache.
  await docker(['image', 'prune', '--force', '--filter', 'until=24h']);
}

/** Keeps the settings of a Docker that this machine may have out of this one. */
function emptySettings(place: string): string {
  const path = join(place, 'daemon.json');
  writeFileSync(path, '{}');
  return path;
}

/** Copies the images that it does not have yet, and removes those of earlier sources. */
async function loadImages(builtBy: Parameters<typeof startDockerEngine>[0]): Promise<void> {
  const env = { ...process.env, ...builtBy.environment };
  const list = await run(
    builtBy.program,
    [...builtBy.args, 'images', '--format', '{{.Repository}}:{{.Tag}}'],
    { env },
  );
  const bases = list.stdout.split('\n').filter((name) => name.startsWith(`${madeBase}:`));
  const wanted = [...Object.values(requirePlatformImages()), ...bases];
  const listed = await docker([
    'images',
    '--filter',
    `reference=${ownImages}`,
    '--format',
    '{{.Repository}}:{{.Tag}}',
  ]);
  const there = listed.stdout.split('\n').filter((name) => name !== '');
  for (const name of there.filter((each) => !wanted.includes(each) && !each.endsWith(':test'))) {
    await docker(['rmi', name]).catch(() => undefined);
  }
  const missing = wanted.filter((name) => !there.includes(name));
  if (missing.length === 0) {
    return;
  }
  const directory = mkdtempSync(join(cache, 'docker-load-'));
  const archive = join(directory, 'images.tar');
  const several = builtBy.program === 'podman' ? ['--multi-image-archive'] : [];
  try {
    await run(builtBy.program, [...builtBy.args, 'save', ...several, '--output', archive, ...missing], {
      env,
    });
    await docker(['load', '--input', archive]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await ended;
  }
}
