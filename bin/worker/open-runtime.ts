/** The runtime that the worker's configuration names. */
import type { Logger } from 'pino';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { engineSocket } from '../../config/container-engine.ts';
import type { ContainerConfig } from '../../config/containers.ts';
import type { WorkerConfig } from '../../config/worker.ts';
import type { WorkerCapabilities } from '../../contract/available-runs.ts';
import { createContainerRuntime } from '../../runtime/container/driver.ts';
import { containerSettings } from '../../runtime/container-workload/container-settings.ts';
import { openCluster } from '../../runtime/kubernetes/cluster.ts';
import { createKubernetesRuntime } from '../../runtime/kubernetes/driver.ts';
import { kubernetesSettings } from '../../runtime/kubernetes/settings.ts';
import { createProcessRuntime } from '../../runtime/process/driver.ts';
import type { TakeLeftCalls } from '../../runtime/workload.ts';
import { packageCacheSettings } from './package-cache-settings.ts';

export interface RuntimeDependencies {
  /** Where the built programs are. */
  programs: string;
  takeLeftCalls: TakeLeftCalls;
  log: Logger;
}

export interface OpenedRuntime {
  runtime: ActivityDependencies['runtime'];
  capabilities: WorkerCapabilities;
  /** Stops the runtime's background work, so that it does not keep the process alive. Sessions go on. */
  close(): void;
}

/** Throws when the runtime cannot be used, with what is missing. */
export async function openRuntime(
  config: WorkerConfig,
  { programs, takeLeftCalls, log: logger }: RuntimeDependencies,
): Promise<OpenedRuntime> {
  const apiUrl = config.INTERNAL_API_URL;
  switch (config.RUNTIME) {
    case 'process': {
      const runtime = await createProcessRuntime({
        sessionsDirectory: config.SESSIONS_DIR,
        programsDirectory: programs,
        runnerDirectory: config.RUNNER_DIR,
        claudeDirectory: config.CLAUDE_DIR ?? null,
        nodeBinary: process.execPath,
        sandbox: config.SANDBOX,
        allowUnsandboxed: config.ALLOW_UNSANDBOXED,
        production: config.NODE_ENV === 'production',
        apiUrl,
        auditSync: config.AUDIT_SYNC,
        limits: config,
        containers: {
          agent: {
            memoryBytes: config.AGENT_MEMORY_BYTES,
            cpuMillis: config.AGENT_CPU_MILLIS,
            processes: config.SANDBOX_PROCESSES,
          },
          server: {
            memoryBytes: config.SERVER_MEMORY_BYTES,
            cpuMillis: config.SERVER_CPU_MILLIS,
            processes: config.SANDBOX_PROCESSES,
          },
          workspaceBytes: config.WORKSPACE_BYTES,
        },
        packages: {
          npmRegistryUrl: config.NPM_REGISTRY_URL ?? null,
          pypiIndexUrl: config.PYPI_INDEX_URL ?? null,
          caFile: config.SANDBOX_CA_FILE ?? null,
        },
        packageCache: packageCacheSettings(config),
        warmHosts: config.WARM_HOSTS,
        privateMcpHosts: config.PRIVATE_MCP_HOSTS,
        modelBaseUrl: config.MODEL_BASE_URL,
        takeLeftCalls,
        logger,
      });
      return unwatched(runtime, runtime.capabilities);
    }
    case 'container':
      return unwatched(
        await createContainerRuntime({
          socketPath: engineSocket(config),
          engine: {
            installation: config.CONTAINER_INSTALLATION,
            platformNetwork: config.CONTAINER_PLATFORM_NETWORK,
            internetNetwork: config.CONTAINER_INTERNET_NETWORK,
            dnsServers: config.CONTAINER_DNS,
            temporaryBytes: config.TEMPORARY_BYTES,
          },
          workload: containerSettings(config, { apiUrl, networks: 'own' }),
          takeLeftCalls,
          logger,
        }),
        isolated('container', config),
      );
    case 'kubernetes': {
      const runtime = createKubernetesRuntime({
        cluster: await openCluster({
          kubeconfig: config.KUBECONFIG ?? null,
          namespace: config.KUBERNETES_NAMESPACE,
        }),
        settings: kubernetesSettings(config),
        containers: containerSettings(config, { apiUrl, networks: 'shared' }),
        startTimeoutMs: config.KUBERNETES_START_SECONDS * 1000,
        logger,
      });
      return { runtime, capabilities: isolated('kubernetes', config), close: () => runtime.close() };
    }
  }
}

/** A runtime without background work. */
const unwatched = (
  runtime: ActivityDependencies['runtime'],
  capabilities: WorkerCapabilities,
): OpenedRuntime => ({ runtime, capabilities, close() {} });

/** Containers are isolated by their engine or cluster; its start or its documentation says what it takes. */
const isolated = (
  runtime: 'container' | 'kubernetes',
  { CLAUDE_IMAGE: claudeImage }: ContainerConfig,
): WorkerCapabilities => ({
  runtime,
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: claudeImage !== undefined,
});
