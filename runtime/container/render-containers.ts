/** Pure: a session's containers as create requests for an engine, or a sentence about what it cannot run. */
import type {
  ContainerSize,
  ContainerSpec,
  ContainerWorkload,
} from '../container-workload/container-workload.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';
import { containerBody } from './container-body.ts';
import type { ContainerPlan, EngineSettings, SessionPlan } from './container-plan.ts';
import { containerName, holderName, type SessionOnEngine } from './names.ts';
import { containerBinds, renderVolumes, sidecarBinds } from './render-volumes.ts';

const mebibyte = 1024 * 1024;
const holderSize: ContainerSize = { memoryBytes: 32 * mebibyte, cpuMillis: 100 };
/** On memory exhaustion the kernel kills a session's processes first, then its sidecar. */
const oomScore = { sidecar: 100, other: 500 };
/**
 * While the API is down its name may not resolve: the sidecar's next lookup must not
 * wait long for the last one.
 */
const impatientResolver = ['timeout:1', 'attempts:2'];
/** The sidecar hands over its last records within this time. */
const stopSeconds = { sidecar: 10, other: 2 };

/** Throws UnsupportedWorkloadError. */
export function renderContainers(workload: ContainerWorkload, settings: EngineSettings): SessionPlan {
  const [opened] = workload.egressAllow;
  if (opened !== undefined) {
    throw new UnsupportedWorkloadError(
      `egress_allow (${opened}): the container runtime opens no private destinations`,
    );
  }
  const session = { installation: settings.installation, sessionId: workload.sessionId };
  const part = { workload, settings, session };
  const [sidecar, ...others] = workload.containers;
  if (sidecar?.role !== 'sidecar') {
    throw new Error('the first container of a session is its sidecar');
  }
  const plans = others.map((spec) => containerPlan(spec, part));
  const holders = others.filter(ownsInternet).map((spec) => holderPlan(spec, sidecar, part));
  const joins = ({ body }: ContainerPlan) => body.HostConfig.NetworkMode.startsWith('container:');
  const ofRole = (role: ContainerSpec['role']) => plans.filter(({ spec }) => spec?.role === role);
  const servers = ofRole('server');
  return {
    sessionId: workload.sessionId,
    boot: workload.boot,
    volumes: renderVolumes(session, workload),
    sidecar: sidecarPlan(sidecar, part),
    // A container whose network is joined starts first, and servers that join none start before the agent.
    waves: [
      [...holders, ...servers.filter((plan) => !joins(plan))],
      [...servers.filter(joins), ...ofRole('sibling'), ...ofRole('model'), ...ofRole('agent')],
    ].filter((wave) => wave.length > 0),
  };
}

interface Part {
  workload: ContainerWorkload;
  settings: EngineSettings;
  session: SessionOnEngine;
}

const ownsInternet = ({ network }: ContainerSpec) => network === 'internet';

function sidecarPlan(spec: ContainerSpec, { workload, settings, session }: Part): ContainerPlan {
  return {
    name: spec.name,
    image: spec.image,
    spec,
    opens: null,
    body: containerBody(spec, session, {
      network: { NetworkMode: settings.platformNetwork, DnsOptions: impatientResolver },
      binds: sidecarBinds(session, workload),
      oomScoreAdj: oomScore.sidecar,
      stopSeconds: stopSeconds.sidecar,
    }),
  };
}

function containerPlan(spec: ContainerSpec, { session }: Part): ContainerPlan {
  return {
    name: spec.name,
    image: spec.image,
    spec,
    opens: null,
    body: containerBody(spec, session, {
      network: { NetworkMode: networkMode(spec, session) },
      binds: containerBinds(session, spec),
      oomScoreAdj: oomScore.other,
      stopSeconds: stopSeconds.other,
    }),
  };
}

/** No network, or that of the container that holds it. */
const networkMode = ({ name, network }: ContainerSpec, session: SessionOnEngine): string =>
  network === 'internet' ? `container:${containerName(session, holderName(name))}` : 'none';

/**
 * Blocks private ranges in its own network namespace, drops all privileges, and keeps the namespace alive.
 * Only it may change that network; it runs nothing but the relay and sees nothing of the session.
 */
function holderPlan(
  { name, privateOrigin: opens }: ContainerSpec,
  { image }: ContainerSpec,
  { settings: { internetNetwork, dnsServers }, session }: Part,
): ContainerPlan {
  const holder = holderName(name);
  const plan = containerBody(
    {
      name: holder,
      image,
      argv: [containerPaths.relay, 'network-policy', ...dnsServers.flatMap((address) => ['--dns', address])],
      uid: 0,
      workingDirectory: null,
      size: holderSize,
    },
    session,
    {
      network: { NetworkMode: internetNetwork, Dns: [...dnsServers] },
      binds: [],
      oomScoreAdj: oomScore.sidecar,
      stopSeconds: stopSeconds.other,
    },
  );
  const HostConfig = { ...plan.HostConfig, GroupAdd: [], CapAdd: ['NET_ADMIN' as const] };
  return { name: holder, image, spec: null, opens, body: { ...plan, HostConfig } };
}
