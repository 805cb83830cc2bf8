/**
 * Starts a session's Pod in idempotent steps: the Pod behind its gate, what it owns, then opening the gate.
 * A worker that dies between any two leaves nothing that is not deleted with the Pod, and the next one
 * resumes where it stopped.
 */
import { randomBytes } from 'node:crypto';
import { resolveByLookup } from '../../lib/outbound/resolve-names.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import type { ContainerWorkload } from '../container-workload/container-workload.ts';
import { type OpenedHost, openPrivateHost } from '../open-private-host.ts';
import { settled } from '../settled.ts';
import { resolvedSecret } from '../variables.ts';
import { type LaunchSecrets, WorkloadFailedError } from '../workload.ts';
import type { Cluster } from './cluster.ts';
import { envSecretName, labelKeys, launchId, registrySecretName } from './names.ts';
import { persist, sentenceFor } from './persist.ts';
import type { Pod } from './pod.ts';
import type { PodCache } from './pod-cache.ts';
import { renderNetworkPolicy } from './render-network-policy.ts';
import { type PodLaunch, renderPod, serversWithCredentials } from './render-pod.ts';
import { containersWithSecrets, renderSecrets } from './render-secrets.ts';
import { ClusterError } from './requests.ts';
import type { KubernetesSettings } from './settings.ts';
import { startProgress } from './start-progress.ts';

export interface StartDependencies {
  cluster: Cluster;
  cache: PodCache;
  settings: KubernetesSettings;
  startTimeoutMs: number;
}

const pollIntervalMs = 1000;
const maxFailedPulls = 2;
/** What is not deleted by then is deleted with the Pod. */
const removeSecretsMs = 30_000;

/** Throws WorkloadFailedError for permanent failures, and the reason of `cancelled`. */
export async function startPod(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  dependencies: StartDependencies,
  cancelled: AbortSignal,
): Promise<void> {
  try {
    await withinLimit(dependencies.startTimeoutMs, cancelled, (signal) =>
      startWithin(workload, secrets, dependencies, signal),
    );
  } catch (error) {
    cancelled.throwIfAborted();
    throw error;
  }
}

async function startWithin(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  dependencies: StartDependencies,
  signal: AbortSignal,
): Promise<void> {
  const opened = await openPrivateHosts(workload);
  const owner = await findOwner(workload, dependencies, signal);
  const pod = await createOrFindPod(workload, secrets, { ...dependencies, opened, owner }, signal);
  const { uid, labels } = pod.metadata;
  const launch = launchId.parse(labels[labelKeys.launch]);
  if (pod.spec.schedulingGates.length > 0) {
    await createSecretsAndNetworkPolicy(
      workload,
      secrets,
      { ...dependencies, opened },
      { uid, launch, signal },
    );
    await persist(() => dependencies.cluster.openGate(workload.sessionId, uid, signal), signal);
  }
  await untilStarted(workload.sessionId, uid, dependencies, signal);
  await removeUsedSecrets(workload, launch, dependencies.cluster);
}

interface OpenedDependencies extends StartDependencies {
  opened: readonly OpenedHost[];
}

type Owner = NonNullable<PodLaunch['owner']>;

/**
 * Null for a session. Throws WorkloadFailedError when the session of a service preview has no Pod, or
 * one that is being removed.
 */
async function findOwner(
  { ownerSessionId }: ContainerWorkload,
  { cluster }: StartDependencies,
  signal: AbortSignal,
): Promise<Owner | null> {
  if (ownerSessionId === null) {
    return null;
  }
  const found = await persist(() => cluster.readPod(ownerSessionId, signal), signal);
  if (found === null || found.metadata.deletionTimestamp !== undefined) {
    throw new WorkloadFailedError('The session of this preview no longer runs');
  }
  const { name, uid } = found.metadata;
  return { name, uid };
}

/** Throws WorkloadFailedError. */
function openPrivateHosts({ containers }: ContainerWorkload): Promise<OpenedHost[]> {
  const origins = new Set(containers.flatMap(({ privateOrigin }) => privateOrigin ?? []));
  return Promise.all([...origins].map((origin) => openPrivateHost(origin, resolveByLookup)));
}

async function createOrFindPod(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  { cluster, cache, settings, opened, owner }: OpenedDependencies & { owner: Owner | null },
  signal: AbortSignal,
): Promise<Pod> {
  const { sessionId } = workload;
  const launch = randomBytes(4).toString('hex');
  const manifest = renderPod(workload, settings, {
    launch,
    opened,
    owner,
    delivery:
      settings.secretDelivery === 'reference'
        ? { type: 'reference', secretNameOf: ({ name }) => envSecretName(sessionId, launch, name) }
        : { type: 'inline', valueOf: (container, variable) => resolvedSecret(container, variable, secrets) },
  });
  while (true) {
    try {
      // Never abandoned half-way: the Pod could still appear after a queued stop has seen that there is none.
      return await persist(() => cluster.createPod(manifest), signal);
    } catch (error) {
      if (!(error instanceof ClusterError && error.saysAlreadyThere)) {
        throw sentenceFor(error, 'Pod');
      }
    }
    const change = cache.change(sessionId, pollIntervalMs, signal);
    const found = await persist(() => cluster.readPod(sessionId, signal), signal);
    if (found !== null && found.metadata.deletionTimestamp === undefined) {
      return found;
    }
    // An earlier one of this session is still terminating.
    await (found === null ? undefined : change);
  }
}

/** In parallel: the gate holds the Pod back until the last one exists. */
async function createSecretsAndNetworkPolicy(
  workload: ContainerWorkload,
  secrets: LaunchSecrets,
  { cluster, settings, opened }: OpenedDependencies,
  { signal, ...pod }: { uid: string; launch: string; signal: AbortSignal },
): Promise<void> {
  const add = async (what: string, work: () => Promise<void>) =>
    persist(work, signal).catch((error: unknown) => {
      throw sentenceFor(error, what);
    });
  await settled([
    ...renderSecrets(workload, secrets, settings, pod).map((secret) =>
      add('Secrets', () => cluster.createSecret(secret, signal)),
    ),
    add('network policy', () =>
      cluster.createNetworkPolicy(renderNetworkPolicy(workload, settings, pod, opened), signal),
    ),
  ]);
}

async function untilStarted(
  sessionId: string,
  uid: string,
  { cluster, cache, startTimeoutMs }: StartDependencies,
  signal: AbortSignal,
): Promise<void> {
  const pulls = { failed: 0, latest: '' };
  const read = () => persist(() => cluster.readPod(sessionId, signal), signal);
  let pod = await read();
  while (true) {
    const change = cache.change(sessionId, pollIntervalMs, signal);
    if (pod?.metadata.uid !== uid) {
      throw new Error('the Pod was deleted while it started');
    }
    cache.put(pod);
    const progress = startProgress(pod);
    if (progress.state === 'started') {
      return;
    }
    if (progress.state === 'failed') {
      throw new WorkloadFailedError(progress.reason);
    }
    countFailedPulls(pulls, progress.failedPulls);
    const changed = await change;
    if (signal.aborted) {
      const seconds = Math.round(startTimeoutMs / 1000);
      throw new WorkloadFailedError(`The workload did not start within ${seconds} seconds: ${progress.why}`);
    }
    pod = (changed ? cache.get(sessionId) : undefined) ?? (await read());
  }
}

/** Throws WorkloadFailedError on the second failed image pull. */
function countFailedPulls(pulls: { failed: number; latest: string }, failedPulls: readonly string[]): void {
  const latest = failedPulls.join('; ');
  pulls.failed += latest !== '' && latest !== pulls.latest ? 1 : 0;
  pulls.latest = latest;
  if (pulls.failed >= maxFailedPulls) {
    throw new WorkloadFailedError(latest);
  }
}

/**
 * Every container has its environment and its image and is never restarted: the Secrets need not stay on the
 * cluster while the session runs. What is not deleted now is deleted with the Pod.
 */
async function removeUsedSecrets(
  workload: ContainerWorkload,
  launch: string,
  cluster: Cluster,
): Promise<void> {
  const { sessionId } = workload;
  const names = [
    ...containersWithSecrets(workload).map(({ name }) => envSecretName(sessionId, launch, name)),
    ...serversWithCredentials(workload).map((server) => registrySecretName(sessionId, launch, server)),
  ];
  await withinLimit(removeSecretsMs, undefined, (signal) =>
    Promise.allSettled(names.map((name) => persist(() => cluster.deleteSecret(name), signal))),
  );
}
