/**
 * The container engine of the tests, which the set-up of `npm test` found: its command line,
 * and its API on a socket.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { engineDirectory } from '../../scripts/setup/machine-cache.mjs';
import { eventually } from './eventually.ts';

const settings = z.object({
  address: z.string().nullable(),
  program: z.enum(['docker', 'podman']).nullable(),
  arguments: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
});

/** Where the Docker Engine of `docker-engine.ts` listens. */
export const dockerSocket = `${engineDirectory('docker')}/docker.sock`;

const built = readSettings();
const engine = process.env['TEST_CONTAINER_ENGINE'] === 'docker' ? onDocker() : built;

function onDocker(): z.infer<typeof settings> {
  const address = `unix://${dockerSocket}`;
  return { address, program: 'docker', arguments: ['--host', address], environment: {} };
}

/** Whether the tests start a podman of the project's own, with settings of their choice. */
export const hasOwnPodman = engine?.program === 'podman' && engine.address === null;

/** False without an engine: tests that need one are skipped. */
export const hasContainerEngine = engine?.program != null;

export interface ContainerEngine {
  /** For `DOCKER_HOST`: `unix:///...` or `tcp://...`. */
  address: string;
  stop(): Promise<void>;
}

/** An idle service ends by itself after this time, so that a killed test leaves none. */
const idleSeconds = 600;

/**
 * The Docker-compatible API: of the engine that listens already, or a podman service of this caller's own.
 */
export async function startContainerEngine(options: EngineOptions = {}): Promise<ContainerEngine> {
  const { address } = requireEngine();
  return address === null ? startService(options) : { address, stop: async () => undefined };
}

export interface EngineOptions {
  /** `127.0.0.1:<port>` of registries without TLS, which Docker takes by itself at this address. */
  insecureRegistries?: readonly string[];
  /** Of podman: with CNI in place of netavark, as an operator may have it. */
  cni?: boolean;
}

async function startService({
  insecureRegistries = [],
  cni = false,
}: EngineOptions): Promise<ContainerEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'engine-'));
  const registries = join(directory, 'registries.conf');
  const entries = insecureRegistries.map((host) => `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
  writeFileSync(registries, entries.join(''));
  const socket = join(directory, 'api.sock');
  const { arguments: common, environment } = requireEngine();
  const child = spawn(
    'podman',
    [...common, 'system', 'service', '--time', String(idleSeconds), `unix://${socket}`],
    {
      env: {
        ...process.env,
        ...environment,
        CONTAINERS_REGISTRIES_CONF: registries,
        ...(cni
          ? { CONTAINERS_CONF: writeCniSettings(directory, environment['CONTAINERS_CONF'] ?? '') }
          : {}),
      },
      stdio: 'ignore',
      // A container's monitor records there that it ran out of memory.
      cwd: directory,
    },
  );
  const stop = () => stopService(child, directory);
  try {
    await eventually(() => {
      if (!existsSync(socket)) {
        throw new Error(`podman offers no API on ${socket}`);
      }
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `unix://${socket}`, stop };
}

/** The settings of the tests' podman, with the other network stack; returns the path of the file. */
function writeCniSettings(directory: string, conf: string): string {
  const path = join(directory, 'containers.conf');
  const text = readFileSync(conf, 'utf8')
    .replace('network_backend = "netavark"', 'network_backend = "cni"')
    .replace(
      /^network_config_dir = .*$/m,
      `network_config_dir = ${JSON.stringify(join(directory, 'networks'))}`,
    );
  writeFileSync(path, text);
  return path;
}

async function stopService(child: ChildProcess, directory: string): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(directory, { recursive: true, force: true });
}

/** Runs an engine command and returns its standard output. Throws with its output when it fails. */
export async function runEngine(args: readonly string[], { timeoutMs = 240_000 } = {}): Promise<string> {
  const { program, arguments: common, environment } = requireEngine();
  const { stdout } = await promisify(execFile)(program, [...common, ...args], {
    env: { ...process.env, ...environment },
    timeout: timeoutMs,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

/** A command line of the engine for `spawn`, where a test needs its streams. */
export function engineCommand(args: readonly string[]): {
  program: string;
  args: string[];
  environment: Record<string, string>;
} {
  const { program, arguments: common, environment } = requireEngine();
  return { program, args: [...common, ...args], environment };
}

/** The command line of the engine that built the images, whichever engine the tests of this file run on. */
export function buildingEngine(): ReturnType<typeof engineCommand> {
  const { program, arguments: args, environment } = present(built);
  return { program, args, environment };
}

const requireEngine = () => present(engine);

function present(found: typeof engine) {
  if (found === null || found.program === null) {
    throw new Error('there is no container engine; npm test says why');
  }
  return { ...found, program: found.program };
}

function readSettings(): z.infer<typeof settings> | null {
  try {
    return settings.parse(JSON.parse(readFileSync('.cache/container-engine.json', 'utf8')));
  } catch {
    return null;
  }
}
