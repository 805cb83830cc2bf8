/** The container runtime (docs/decisions/0014): sessions as containers of Docker or Podman. */
import type { Logger } from 'pino';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';
import type { ContainerSettings } from '../container-workload/container-settings.ts';
import { renderContainerWorkload } from '../container-workload/render-container-workload.ts';
import { createRuntime } from '../create-runtime.ts';
import type { Runtime, TakeLeftCalls } from '../workload.ts';
import type { EngineSettings, SessionPlan } from './container-plan.ts';
import { openEngine } from './engine.ts';
import { inspectSession } from './inspect-session.ts';
import { tailOf } from './join-frames.ts';
import { renderContainers } from './render-containers.ts';
import { listSessions, sessionContainers } from './session-containers.ts';
import { startSession } from './start-session.ts';
import { stopSession } from './stop-session.ts';
import { watchSessions } from './watch-sessions.ts';

/** Timeout of a launch, not counting image pulls. */
const startTimeoutMs = 120_000;
/** Below the limit of the activity that starts a workload. */
const pullTimeoutMs = 15 * 60_000;

export interface ContainerRuntimeDependencies {
  socketPath: string;
  engine: EngineSettings;
  workload: ContainerSettings;
  takeLeftCalls: TakeLeftCalls;
  /** By default this machine's resolver. */
  resolveName?: ResolveName;
  logger: Logger;
}

/** Throws when no engine answers on the socket, or it is a Podman whose networks cannot be restricted. */
export async function createContainerRuntime({
  socketPath,
  engine: settings,
  workload,
  takeLeftCalls,
  resolveName = resolveByLookup,
  logger,
}: ContainerRuntimeDependencies): Promise<Runtime<SessionPlan>> {
  const engine = await openEngine(socketPath);
  await engine.ping().catch((error: unknown) => {
    throw new Error(`DOCKER_HOST: no container engine answers on ${socketPath} (${String(error)})`);
  });
  if ((await engine.podmanNetworkBackend()) === 'cni') {
    throw new Error(
      `DOCKER_HOST: the Podman on ${socketPath} uses CNI, whose internal networks have no gateway. Use Podman 4 or later, install netavark and aardvark-dns, set network_backend = "netavark" in the [network] section of its containers.conf, and restart it (docs/operations.md)`,
    );
  }
  logger.info(
    { socketPath, installation: settings.installation },
    'sessions run as containers of this engine',
  );
  const sidecarImage = workload.images.sidecar;
  const onEngine = (sessionId: string) => ({ installation: settings.installation, sessionId });
  const find = async (sessionId: string, name: string) =>
    (await sessionContainers(engine, onEngine(sessionId))).find((each) => each.name === name);

  return createRuntime<SessionPlan>({
    name: 'container',
    render: (configuration) => renderContainers(renderContainerWorkload(configuration, workload), settings),
    start: (plan, secrets, signal) =>
      startSession(engine, plan, secrets, {
        ...{ settings, takeLeftCalls, sidecarImage, resolveName, signal },
        ...{ startTimeoutMs, pullTimeoutMs },
      }),
    stop: (sessionId) => stopSession(engine, onEngine(sessionId), { takeLeftCalls, sidecarImage }),
    inspect: (sessionId) => inspectSession(engine, onEngine(sessionId)),
    watch: (onChange) => watchSessions(engine, settings.installation, onChange, logger),
    async sidecarHost(sessionId) {
      const sidecar = await find(sessionId, 'sidecar');
      const inspected = sidecar === undefined ? null : await engine.inspectContainer(sidecar.id);
      return inspected?.addresses[settings.platformNetwork] || null;
    },
    list: () => listSessions(engine, settings.installation),
    async logs(sessionId, container, tailBytes) {
      const found = await find(sessionId, container);
      const output = found === undefined ? null : await engine.readOutput(found.id);
      return output === null ? '' : tailOf(output, tailBytes);
    },
  });
}
