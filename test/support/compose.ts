/**
 * docker-compose.yml as a user starts it, on the tests' container engine, with images that were built here.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedImage } from '../../scripts/setup/machine-cache.mjs';
import { engineCommand, runEngine, startContainerEngine } from './container-engine.ts';
import { deploymentTool } from './deployment-tools.ts';
import { type DockerRegistry, startDockerRegistry } from './docker-registry.ts';
import { chooseTestPort } from './free-port.ts';
import { requirePlatformImages } from './platform-images.ts';
import { temporalProgram } from './temporal-program.ts';

const files = 'test/end-to-end/compose';
const projectLabel = 'com.docker.compose.project';
const pauseMs = 1_000;
/** Other tests build and copy images on the same engine, which blocks it for a while. */
const commandTimeoutMs = 240_000;

export interface Compose {
  /** Where browsers find the platform. */
  url: string;
  /** `address:port` of a registry over plain HTTP, as the platform and the engine know it. */
  registryAddress: string;
  /** Of this machine, where the platform finds the endpoint of language models. */
  modelPort: number;
  /** Runs a Compose command; returns its standard output. */
  run(args: readonly string[]): Promise<string>;
  /** Takes everything down, sessions and volumes included. */
  remove(): Promise<void>;
}

/**
 * Prepares it without starting anything. `modelKey`: what the demo's agent that asks a model asks it with.
 */
export async function openCompose(modelKey: string): Promise<Compose> {
  const directory = mkdtempSync(join(tmpdir(), 'compose-'));
  const project = `platform-${randomBytes(4).toString('hex')}`;
  await buildStandIns(directory);
  const registry = await openRegistry(join(directory, 'registry'), `${project}-outside`);
  const engine = await startContainerEngine({ insecureRegistries: [registry.address] });
  const platformPort = await chooseTestPort();
  const modelPort = await chooseTestPort();
  const modelBaseUrl = `http://${registry.address.replace(/:.*/, '')}:${modelPort}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    DOCKER_HOST: engine.address,
    ENGINE_SOCKET: engine.address.replace(/^unix:\/\//, ''),
    PLATFORM_PORT: String(platformPort),
    IDENTITY_PORT: String(await chooseTestPort()),
    TEMPORAL_UI_PORT: String(await chooseTestPort()),
    PRIVATE_REGISTRIES: `http://${registry.address}`,
    MODEL_BASE_URL: modelBaseUrl,
    PRIVATE_MCP_HOSTS: modelBaseUrl,
    DEMO_MODEL_KEY: modelKey,
    ...imageVariables(),
    POSTGRES_IMAGE: standIn('postgres'),
    TEMPORAL_IMAGE: standIn('temporal'),
  };
  const run = async (args: readonly string[]) => {
    const options = {
      env,
      timeout: commandTimeoutMs,
      killSignal: 'SIGKILL' as const,
      maxBuffer: 16 * 1024 * 1024,
    };
    const command = ['-p', project, '-f', 'docker-compose.yml', '-f', `${files}/compose.yml`, ...args];
    return (await promisify(execFile)(deploymentTool('docker-compose'), command, options)).stdout;
  };
  const stopAttending = engineCommand([]).program === 'podman' ? attend(project) : async () => undefined;
  return {
    url: `http://localhost:${platformPort}`,
    registryAddress: registry.address,
    modelPort,
    run,
    async remove() {
      await stopAttending();
      try {
        // It could start another session while those that are there are removed.
        await run(['kill', 'worker']).catch(() => undefined);
        await removeSessions(project);
        await run(['down', '--volumes', '--timeout', '5']);
        // An engine makes a container that was asked for also when whoever asked is gone.
        await removeSessions(project);
        await removeLeft(project);
      } finally {
        await engine.stop();
        await registry.stop();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

/** As compose.yml names them. */
function imageVariables(): Record<string, string> {
  const images = Object.entries(requirePlatformImages());
  return Object.fromEntries(
    images.map(([name, image]) => [`${name.toUpperCase().replace('-', '_')}_IMAGE`, image]),
  );
}

/** On this machine, at the address that it has in a network made for it. */
async function openRegistry(
  storage: string,
  network: string,
): Promise<{ address: string; stop: DockerRegistry['stop'] }> {
  await runEngine(['network', 'create', network]);
  const [gateway] = /\b\d+\.\d+\.\d+\.1\b/.exec(await runEngine(['network', 'inspect', network])) ?? [];
  // The address does not exist before the network's first container.
  const registry = await startDockerRegistry(storage, { address: '0.0.0.0' });
  return { address: registry.host.replace('0.0.0.0', gateway ?? ''), stop: registry.stop };
}

async function removeSessions(project: string): Promise<void> {
  const sessions = await containers(`label=gatepost.internal/installation=${project}`);
  if (sessions.length > 0) {
    await runEngine(['rm', '--force', '--volumes', ...sessions]);
  }
}

/** Networks and volumes of sessions, and the network that this test made. */
async function removeLeft(project: string): Promise<void> {
  for (const network of ['internet', 'sidecars', 'outside']) {
    await runEngine(['network', 'rm', '--force', `${project}-${network}`]).catch(() => undefined);
  }
  const volumes = (await runEngine(['volume', 'ls', '--quiet', '--filter', `name=${project}`])).split('\n');
  const left = volumes.filter((name) => name.startsWith(`${project}-`));
  if (left.length > 0) {
    await runEngine(['volume', 'rm', '--force', ...left]);
  }
}

async function containers(...filters: string[]): Promise<string[]> {
  const options = filters.flatMap((filter) => ['--filter', filter]);
  const names = await runEngine(['ps', '--all', ...options, '--format', '{{.Names}}']);
  return names.split('\n').filter((name) => name !== '');
}

/**
 * Podman leaves health checks and ended containers to systemd and a shim of its own; where those
 * are missing, this polls.
 */
function attend(project: string): () => Promise<void> {
  let stopped = false;
  const mine = `label=${projectLabel}=${project}`;
  const look = async () => {
    for (const name of await containers(mine, 'health=starting')) {
      await runEngine(['healthcheck', 'run', name]).catch(() => undefined);
    }
    for (const name of await containers(mine, 'status=stopped')) {
      await runEngine(['container', 'cleanup', name]).catch(() => undefined);
    }
  };
  const attending = (async () => {
    while (!stopped) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  return async () => {
    stopped = true;
    await attending;
  };
}

/** An image in place of one that users pull. */
const standIn = (name: string) => cachedImage(`${name}:test`);

/** The engine's cache makes this fast. */
async function buildStandIns(directory: string): Promise<void> {
  const [, version = ''] =
    /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync('deploy/Dockerfile', 'utf8')) ?? [];
  const made = cachedImage(`base:${version}`);
  const base = await runEngine(['image', 'inspect', made]).then(
    () => made,
    () => `docker.io/library/node:${version}-bookworm-slim`,
  );
  copyFileSync(temporalProgram(), join(directory, 'temporal'));
  const build = (name: string, context: string) => {
    const names = ['--tag', standIn(name), '--file', `${files}/${name}/Dockerfile`];
    const options = ['--build-arg', `NODE_IMAGE=${base}`, '--network', 'host', ...names, context];
    return runEngine(['build', ...options], { timeoutMs: 300_000 });
  };
  await build('postgres', `${files}/postgres`);
  await build('temporal', directory);
}
