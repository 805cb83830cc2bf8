/**
 * Brings a fresh clone to where `npm start` or the tests of some tiers (`--tiers unit,services`)
 * can run; does nothing when it is there already. Plain JavaScript without dependencies: it runs
 * before node_modules exists.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeApiTypes } from './make-api-types.mjs';
import { provideAcpAgents } from './setup/acp.mjs';
import { provideClaude } from './setup/claude.mjs';
import { provideContainerEngine } from './setup/container-engine.mjs';
import { installDependencies, linkPostgresLibraries } from './setup/dependencies.mjs';
import { provideDeploymentTools } from './setup/deployment-tools.mjs';
import { provideImages } from './setup/images.mjs';
import { provideKubernetes } from './setup/kubernetes.mjs';
import { withLock } from './setup/lock.mjs';
import { provideOracleServers } from './setup/oracle-servers.mjs';
import { leftOut, SetupError, step, together } from './setup/progress.mjs';
import { provideRelay } from './setup/relay.mjs';
import { provideSignInServers } from './setup/sign-in-servers.mjs';
import { installSystemPackages, nameMissingPrograms } from './setup/system-packages.mjs';
import { provideTemporal } from './setup/temporal.mjs';
import { providePgvector, provideUv } from './setup/unpacked-packages.mjs';
import { writeWhole } from './setup/write-whole.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { tiers: { type: 'string', default: '' }, 'bench-gate': { type: 'boolean', default: false } },
});
const forTiers = options.tiers.split(',').filter((name) => name !== '');
const forTests = forTiers.length > 0;
const forGateBench = options['bench-gate'];
/** Whether the tests of one of these tiers are to run. */
const testing = (...names) => names.some((name) => forTiers.includes(name));
const oldestNode = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    throw new SetupError(
      `This needs Node ${oldestNode.join('.')} or later, and this is ${process.version}. See https://nodejs.org, or use nvm.`,
    );
  }
  if (process.platform === 'win32') {
    throw new SetupError('This runs on Linux and macOS. On Windows, use WSL.');
  }
}

/** What does not need each other is done at once: most of it waits for a network or runs on one processor. */
async function setUp() {
  if (forTests && !testing('services', 'platform', 'sign-in', 'claude', 'acp', 'engine', 'cluster')) {
    await setUpPackages();
    return;
  }
  await together([
    setUpProject,
    setUpOtherPackages,
    setUpSystem,
    ...(testing('services') ? [setUpOracleServers] : []),
    ...(testing('services') ? [() => step('pgvector', () => providePgvector(root, process.env))] : []),
    ...(testing('platform') ? [() => step('uv', () => provideUv(root, process.env))] : []),
    ...(testing('engine', 'cluster') ? [setUpDeploymentTools] : []),
  ]);
  if (forTests) {
    writeWhole(join(root, '.cache/left-out.json'), JSON.stringify(leftOut));
  }
}

/** Tests begin with the types of the API; what only runs the platform needs none. */
async function setUpPackages() {
  await step('Packages', () => installDependencies(root));
  if (forTests) {
    await step('Types of the API', () => makeApiTypes(root));
  }
}

/** The project's packages, and what is made with them. */
async function setUpProject() {
  await setUpPackages();
  await linkPostgresLibraries(root);
  await together([
    ...(forTests || !(process.env.TEMPORAL_ADDRESS || forGateBench)
      ? [() => step('Temporal server', () => provideTemporal(root, process.env))]
      : []),
    buildAll,
  ]);
}

async function buildAll() {
  const { build } = await import('./build.mjs');
  await step('Build', () =>
    build(root).catch((error) => {
      throw new SetupError(`The build failed: ${error.message}`);
    }),
  );
}

/** Packages in folders of their own, one folder after the other: npm works on many at once. */
async function setUpOtherPackages() {
  await step('Packages of the MCP servers', () => installDependencies(join(root, 'deploy/runner')));
  if (forGateBench) {
    await step('Programs to compare the gate with', () =>
      installDependencies(join(root, 'bench/gate/peers')),
    );
  }
  if (testing('services')) {
    await step('MCP conformance scenarios', () => installDependencies(join(root, 'test/conformance/runner')));
  }
  if (testing('claude')) {
    await step('Package of the agent claude', () => provideClaude(root, process.env, { forTests: true }));
  }
  if (testing('acp')) {
    await step('Agents that speak ACP', () => provideAcpAgents(root, process.env));
  }
}

const setUpOracleServers = () =>
  step('MCP servers to compare with', () => provideOracleServers(root, process.env));

const setUpDeploymentTools = () => step('Helm and Compose', () => provideDeploymentTools(root, process.env));

/** What this machine's own packages are needed for: a compiler, a container engine, a cluster. */
async function setUpSystem() {
  if (forTests) {
    await step('System packages', () => installSystemPackages(process.env, forTiers));
  }
  await together([
    ...(testing('sign-in')
      ? [() => step('Servers to sign in at', () => provideSignInServers(root, process.env))]
      : []),
    () => step('Static relay', () => provideRelay(root, process.env, { forTests })),
    ...(testing('engine', 'cluster', 'acp') ? [setUpImages] : []),
    ...(testing('cluster') ? [() => step('Kubernetes', () => provideKubernetes(root, process.env))] : []),
  ]);
}

async function setUpImages() {
  await step('Container engine', () => provideContainerEngine(root, process.env));
  await step('Images', () => provideImages(root, process.env));
}

try {
  checkNode();
  mkdirSync(join(root, '.cache'), { recursive: true });
  await withLock(join(root, '.cache/setup.lock'), setUp);
  if (!forTests) {
    nameMissingPrograms();
  }
} catch (error) {
  if (!(error instanceof SetupError)) {
    throw error;
  }
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
