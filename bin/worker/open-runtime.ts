/** The runtime that the worker's configuration names. */

import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { engineNetworks, engineSocket } from '../../config/container-engine.ts';
import type { ContainerConfig } from '../../config/containers.ts';
import { allModelEndpoints } from '../../config/model-endpoints.ts';
import type { WorkerConfig } from '../../config/worker.ts';
import { acpPreset } from '../../contract/acp-preset.ts';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import { createContainerRuntime } from '../../runtime/container/driver.ts';
import { containerSettings } from '../../runtime/container-workload/container-settings.ts';
import { openCluster } from '../../runtime/kubernetes/cluster.ts';
import { createKubernetesRuntime } from '../../runtime/kubernetes/driver.ts';
import { kubernetesSettings } from '../../runtime/kubernetes/settings.ts';
import { createProcessRuntime } from '../../runtime/process/driver.ts';
import type { PackageCacheSettings } from '../../runtime/process/packages/open-session-packages.ts';
import type { TakeLeftCalls, TakePatch } from '../../runtime/workload.ts';

/** For each agent and each MCP server. */
const sandboxProcesses = 512;
/**
 * Hosts of sessions that are started before a session needs them; with its sidecar each holds some 25 MiB.
 */
const warmHosts = 1;
/** From the creation of a Pod until its containers run, images being pulled included. */
const podStartTimeoutMs = 300_000;

interface RuntimeDependencies {
  /**
   * Where the built programs are: a folder of the platform's own, beside those that the process runtime takes
   * programs from.
   */
  programs: string;
  takeLeftCalls: TakeLeftCalls;
  takePatch: TakePatch;
  log: Logger;
}

interface OpenedRuntime {
  runtime: ActivityDependencies['runtime'];
  capabilities: WorkerCapabilities;
  /** Stops the runtime's background work, so that it does not keep the process alive. Sessions go on. */
  close(): void;
}

type ConfigOf<Name extends WorkerConfig['RUNTIME']> = Extract<WorkerConfig, { RUNTIME: Name }>;

/** Throws when the runtime cannot be used, with what is missing. */
export async function openRuntime(
  config: WorkerConfig,
  dependencies: RuntimeDependencies,
): Promise<OpenedRuntime> {
  switch (config.RUNTIME) {
    case 'process':
      return openProcesses(config, dependencies);
    case 'container':
      return openEngine(config, dependencies);
    case 'kubernetes':
      return openPods(config, dependencies);
  }
}

async function openProcesses(
  config: ConfigOf<'process'>,
  { programs, takeLeftCalls, takePatch, log: logger }: RuntimeDependencies,
): Promise<OpenedRuntime> {
  const { AGENT_MEMORY_BYTES, AGENT_CPU_MILLIS, SERVER_MEMORY_BYTES, SERVER_CPU_MILLIS } = config;
  const processes = sandboxProcesses;
  const runtime = await createProcessRuntime({
    sessionsDirectory: config.SESSIONS_DIR,
    programsDirectory: programs,
    runnerDirectory: join(programs, '../deploy/runner'),
    claudeDirectory: join(programs, '../agents/claude'),
    nodeBinary: process.execPath,
    sandbox: config.SANDBOX,
    allowUnsandboxed: false,
    production: config.NODE_ENV === 'production',
    apiUrl: config.INTERNAL_API_URL,
    auditSync: config.AUDIT_SYNC,
    limits: config,
    containers: {
      agent: { memoryBytes: AGENT_MEMORY_BYTES, cpuMillis: AGENT_CPU_MILLIS, processes },
      server: { memoryBytes: SERVER_MEMORY_BYTES, cpuMillis: SERVER_CPU_MILLIS, processes },
      workspaceBytes: config.WORKSPACE_BYTES,
    },
    packages: {
      npmRegistryUrl: config.NPM_REGISTRY_URL ?? null,
      pypiIndexUrl: config.PYPI_INDEX_URL ?? null,
      caFile: config.SANDBOX_CA_FILE ?? null,
    },
    packageCache: packageCacheSettings(config),
    warmHosts,
    privateMcpHosts: config.PRIVATE_MCP_HOSTS,
    modelEndpoints: allModelEndpoints(config),
    privateRepositoryHosts: config.PRIVATE_REPOSITORY_HOSTS,
    takeLeftCalls,
    takePatch,
    logger,
  });
  return unwatched(runtime, runtime.capabilities);
}

async function openEngine(
  config: ConfigOf<'container'>,
  { takeLeftCalls, log: logger }: RuntimeDependencies,
): Promise<OpenedRuntime> {
  const workload = containerSettings(config, { apiUrl: config.INTERNAL_API_URL, networks: 'own' });
  const { platform, internet } = engineNetworks(config);
  const runtime = await createContainerRuntime({
    socketPath: engineSocket(config),
    engine: {
      installation: config.CONTAINER_INSTALLATION,
      platformNetwork: platform,
      internetNetwork: internet,
      dnsServers: config.CONTAINER_DNS,
      temporaryBytes: workload.temporaryBytes,
    },
    workload,
    takeLeftCalls,
    logger,
  });
  return unwatched(runtime, isolated('container', config));
}

async function openPods(
  config: ConfigOf<'kubernetes'>,
  { log: logger }: RuntimeDependencies,
): Promise<OpenedRuntime> {
  const runtime = createKubernetesRuntime({
    cluster: await openCluster({
      kubeconfig: config.KUBECONFIG ?? null,
      namespace: config.KUBERNETES_NAMESPACE,
    }),
    settings: kubernetesSettings(config),
    containers: containerSettings(config, { apiUrl: config.INTERNAL_API_URL, networks: 'shared' }),
    startTimeoutMs: podStartTimeoutMs,
    logger,
  });
  return { runtime, capabilities: isolated('kubernetes', config), close: () => runtime.close() };
}

/** A runtime without background work. */
const unwatched = (
  runtime: ActivityDependencies['runtime'],
  capabilities: WorkerCapabilities,
): OpenedRuntime => ({ runtime, capabilities, close() {} });

/** Containers are isolated by their engine or cluster; its start or its documentation says what it takes. */
const isolated = (
  runtime: 'container' | 'kubernetes',
  { CLAUDE_IMAGE: claudeImage, ACP_IMAGES: acpImages }: ContainerConfig,
): WorkerCapabilities => ({
  runtime,
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: claudeImage !== undefined,
  acp_presets: acpPreset.options.filter((name) => acpImages[name] !== undefined),
});

/** Of one entry. */
const maxFiles = 100_000;
/** Packages without a version are resolved again after this time. */
const refreshAfterMs = 24 * 3600 * 1000;

/** What the worker's configuration says about packages of `npx` and `uvx` entries. */
function packageCacheSettings(config: ConfigOf<'process'>): PackageCacheSettings {
  return {
    directory: join(config.SESSIONS_DIR, '../package-cache'),
    npmRegistryToken: config.NPM_REGISTRY_TOKEN ?? null,
    pypiIndexToken: config.PYPI_INDEX_TOKEN ?? null,
    outboundProxy:
      config.HTTPS_PROXY === undefined ? null : { url: config.HTTPS_PROXY, except: config.NO_PROXY },
    fileHosts: config.PACKAGE_FILE_HOSTS,
    uvProgram: null,
    maxBytes: config.PACKAGE_MAX_BYTES,
    maxFiles,
    workspaceBytes: config.PACKAGE_CACHE_BYTES,
    refreshAfterMs,
    deadlineMs: config.PACKAGE_LOAD_SECONDS * 1000,
  };
}
