/**
 * The container engine that builds images and runs the containers of tests: one that runs already, or a
 * podman of the project's own.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { engineDirectory, machineCache } from './machine-cache.mjs';
import { SetupError } from './progress.mjs';
import { which } from './run.mjs';
import { writeWhole } from './write-whole.mjs';

/**
 * Writes .cache/container-engine.json, and returns what was left out. It holds
 * `address` of an engine that listens already, or null for podman, which a test starts as a service when
 * it needs an API; `program`, `arguments` and `environment` of its command line; all null with a
 * `problem` where there is none.
 */
export async function provideContainerEngine(root, environment) {
  const engine = await findEngine(environment);
  writeWhole(join(root, '.cache/container-engine.json'), JSON.stringify(engine));
  if (engine.problem !== null && environment.CI) {
    throw new SetupError(`A container engine: ${engine.problem}\nCI leaves no test out.`);
  }
  return engine.problem === null ? undefined : `left out (${engine.problem})`;
}

async function findEngine(environment) {
  const address = environment.DOCKER_HOST || (await listeningEngine(environment));
  if (address) {
    return engineAt(address);
  }
  if (which('podman') === null) {
    return none('neither a running Docker nor podman was found');
  }
  if (process.platform !== 'linux' || process.getuid() !== 0) {
    return none('not root, and no engine listens; start one and name it with DOCKER_HOST');
  }
  return {
    address: null,
    program: 'podman',
    arguments: [],
    environment: ownPodman(environment),
    problem: null,
  };
}

function engineAt(address) {
  if (which('docker') !== null) {
    return { address, program: 'docker', arguments: ['--host', address], environment: {}, problem: null };
  }
  return which('podman') === null
    ? none(`no docker or podman command to use ${address} with`)
    : { address, program: 'podman', arguments: ['--url', address], environment: {}, problem: null };
}

const none = (problem) => ({ address: null, program: null, arguments: [], environment: {}, problem });

async function listeningEngine(environment) {
  const sockets = [
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    ...(environment.XDG_RUNTIME_DIR ? [join(environment.XDG_RUNTIME_DIR, 'podman/podman.sock')] : []),
  ];
  for (const socket of sockets) {
    if (existsSync(socket) && (await answers(socket))) {
      return `unix://${socket}`;
    }
  }
  return null;
}

function answers(socketPath) {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping', timeout: 5000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

/**
 * Variables that give podman images, containers and networks of its own, apart from
 * whatever else this machine runs.
 */
function ownPodman(environment) {
  const cache = machineCache(environment, 'containers');
  // The state of running containers must not survive a restart of the machine.
  const run = engineDirectory('containers');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const conf = join(cache, 'containers.conf');
  const storageConf = join(cache, 'storage.conf');
  // Below the storage, where podman looks without this file too: what ends a container is run without it, and
  // each end would otherwise time out after 20 seconds.
  const state = join(cache, 'storage/libpod');
  // JSON strings are TOML strings.
  const text = JSON.stringify;
  writeWhole(
    conf,
    `[engine]
${which('runc') === null ? '' : 'runtime = "runc"'}
cgroup_manager = "cgroupfs"
events_logger = "file"
static_dir = ${text(state)}
volume_path = ${text(join(cache, 'volumes'))}
tmp_dir = ${text(join(run, 'libpod'))}
[containers]
default_ulimits = [${text(ulimit('nofile', 'Max open files'))}, ${text(ulimit('nproc', 'Max processes'))}]
[network]
network_backend = "netavark"
network_config_dir = ${text(join(cache, 'networks'))}
`,
  );
  writeWhole(
    storageConf,
    `[storage]
driver = "overlay"
graphroot = ${text(join(cache, 'storage'))}
runroot = ${text(join(run, 'storage'))}
`,
  );
  return { CONTAINERS_CONF: conf, CONTAINERS_STORAGE_CONF: storageConf };
}

/** No more than podman itself has: not every root may raise a limit. It gives itself 32,768 processes. */
const mostOf = { nofile: 1_048_576, nproc: 32_768 };

function ulimit(name, line) {
  const [, hard] =
    new RegExp(`^${line}\\s+\\S+\\s+(\\S+)`, 'm').exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const most = Math.min(mostOf[name], Number(hard) || Number.POSITIVE_INFINITY);
  return `${name}=${most}:${most}`;
}
