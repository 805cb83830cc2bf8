/**
 * The container runtime under test: on the engine of the tests, with networks and an
 * installation of the test's own.
 */
import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import pino from 'pino';
import type { ResolveName } from '../../../lib/outbound/guarded-lookup.ts';
import type { EngineSettings, SessionPlan } from '../../../runtime/container/container-plan.ts';
import { createContainerRuntime } from '../../../runtime/container/driver.ts';
import type { ContainerSettings } from '../../../runtime/container-workload/container-settings.ts';
import type { Runtime, TakeLeftCalls } from '../../../runtime/workload.ts';
import { type ContainerEngine, startContainerEngine } from '../../support/container-engine.ts';
import { testContainerSettings } from '../../support/container-settings.ts';
import { requirePlatformImages } from '../../support/platform-images.ts';
import type { DriverUnderTest } from '../runtime/driver-under-test.ts';
import { startWorkerProcess } from '../runtime/worker-process.ts';

const mebibyte = 1024 * 1024;
const startSessionScript = new URL('./inside/start-session.ts', import.meta.url);
const installationLabel = 'gatepost.internal/installation';
const sessionLabel = 'gatepost.internal/session';

export interface ContainerDriver extends DriverUnderTest<SessionPlan> {
  installation: string;
  settings: EngineSettings;
  /** Call it before anything else. */
  begin(options?: { insecureRegistries: string[] }): Promise<void>;
  docker(): Docker;
  socketPath(): string;
  openWith(apiUrl: string, options: Partial<OpenOptions>): Promise<Runtime<SessionPlan>>;
  /** The engine's name of a session's container. */
  nameOf(sessionId: string, container: string): string;
  removeImage(reference: string): Promise<void>;
  /** Removes every container, volume and network of this test. */
  end(): Promise<void>;
}

interface OpenOptions {
  takeLeftCalls: TakeLeftCalls;
  workload: Partial<ContainerSettings>;
  engine: Partial<EngineSettings>;
  resolveName: ResolveName;
}

export function containerDriver(): ContainerDriver {
  const installation = `test-${randomBytes(4).toString('hex')}`;
  const settings: EngineSettings = {
    installation,
    platformNetwork: `${installation}-platform`,
    internetNetwork: `${installation}-internet`,
    dnsServers: ['192.0.2.53'],
    temporaryBytes: 16 * mebibyte,
  };
  let engine: ContainerEngine | null = null;
  const socketPath = () => {
    const { protocol, pathname } = new URL(engine?.address ?? 'none:');
    if (protocol !== 'unix:') {
      throw new Error('the engine of the tests has no socket on this machine');
    }
    return pathname;
  };
  const docker = () => new Docker({ socketPath: socketPath() });
  const openWith = (
    apiUrl: string,
    { takeLeftCalls, workload, engine: changes, ...others }: Partial<OpenOptions>,
  ) =>
    createContainerRuntime({
      socketPath: socketPath(),
      engine: { ...settings, ...changes },
      workload: { ...workloadSettings(apiUrl), ...workload },
      ...others,
      takeLeftCalls: takeLeftCalls ?? (async () => undefined),
      logger: pino({ level: 'silent' }),
    });
  const nameOf = (sessionId: string, container: string) => `${installation}-${sessionId}-${container}`;
  return {
    installation,
    settings,
    docker,
    socketPath,
    openWith,
    nameOf,
    async begin(options) {
      engine = await startContainerEngine(options);
      await docker().createNetwork({ Name: settings.platformNetwork, Driver: 'bridge', Internal: true });
    },
    isolates: true,
    siblings: true,
    hasOwnNetworks: true,
    reportsFromInside: true,
    open: (apiUrl) => openWith(apiUrl, {}),
    startInProcess: (_, plan, secrets, dieAfterMs) =>
      startWorkerProcess(startSessionScript, {
        dieAfterMs,
        socketPath: socketPath(),
        settings,
        plan,
        secrets,
      }),
    hostAddress: () => gatewayOf(docker(), settings.platformNetwork),
    async lose(sessionId) {
      await docker().getContainer(nameOf(sessionId, 'sidecar')).kill();
    },
    running: (sessionId) => thingsLabelled(docker(), `${sessionLabel}=${sessionId}`),
    async removeImage(reference) {
      await docker().getImage(reference).remove({ force: true });
    },
    async end() {
      if (engine !== null) {
        await removeEverything(docker(), settings).finally(engine.stop);
      }
    },
  };
}

export const workloadSettings = (apiUrl: string): ContainerSettings =>
  testContainerSettings({ apiUrl, networks: 'own', images: { ...requirePlatformImages(), claude: null } });

export async function gatewayOf(docker: Docker, network: string): Promise<string> {
  const { IPAM } = await docker.getNetwork(network).inspect();
  const gateway = IPAM?.Config?.[0]?.['Gateway'];
  if (gateway === undefined) {
    throw new Error(`the network ${network} has no gateway`);
  }
  return gateway;
}

async function thingsLabelled(docker: Docker, label: string): Promise<string[]> {
  const filters = { label: [label] };
  const containers = await docker.listContainers({ all: true, filters });
  const { Volumes } = await docker.listVolumes({ filters });
  return [
    ...containers.map(({ Names, State }) => `container ${Names.join()} (${State})`),
    ...(Volumes ?? []).map(({ Name }) => `volume ${Name}`),
  ];
}

async function removeEverything(docker: Docker, settings: EngineSettings): Promise<void> {
  const filters = { label: [`${installationLabel}=${settings.installation}`] };
  const containers = await docker.listContainers({ all: true, filters });
  // Those that use another's network are removed first.
  const order = (names: string[]) => (names.some((name) => /-(agent|net-[a-z0-9-]+)$/.test(name)) ? 1 : 0);
  for (const { Id } of [...containers].sort((a, b) => order(a.Names) - order(b.Names))) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  const { Volumes } = await docker.listVolumes({ filters });
  await Promise.all((Volumes ?? []).map(({ Name }) => docker.getVolume(Name).remove()));
  for (const name of [settings.platformNetwork, settings.internetNetwork]) {
    await docker
      .getNetwork(name)
      .remove()
      .catch(() => undefined);
  }
}
