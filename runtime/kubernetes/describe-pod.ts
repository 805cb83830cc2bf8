/** Pure: what a Pod's status means for its session. */
import type { ContainerState, WorkloadState } from '../workload.ts';
import { labelKeys } from './names.ts';
import { type ContainerStatus, conditionOf, inOneLine, type Pod } from './pod.ts';

/** A terminating Pod is lost. */
export function describePod(pod: Pod): WorkloadState {
  const lost = whyLost(pod);
  return lost === null
    ? { state: 'running', containers: pod.spec.containers.map(({ name }) => describeContainer(name, pod)) }
    : { state: 'lost', reason: lost };
}

export const deletedByOthers = 'its Pod was deleted, and not by the platform';

/** Why the Pod is lost, as a sentence; null when it is not. */
function whyLost(pod: Pod): string | null {
  const { metadata, spec, status } = pod;
  const disruption = conditionOf(pod, 'DisruptionTarget');
  if (metadata.deletionTimestamp !== undefined) {
    if (metadata.labels[labelKeys.stopping] !== undefined) {
      return 'the platform stops it';
    }
    return disruption === undefined ? deletedByOthers : whyDisrupted(disruption);
  }
  if (status.reason === undefined) {
    return null;
  }
  const said = inOneLine(status.message);
  switch (status.reason) {
    case 'DeadlineExceeded':
      return `its Pod ran longer than the ${spec.activeDeadlineSeconds ?? 0} seconds that a session may take`;
    case 'Evicted':
      return `its node evicted it: ${said}`;
    case 'NodeLost':
      return `its node does not answer: ${said}`;
    default:
      return status.phase === 'Failed' ? `its Pod ended (${status.reason}): ${said}` : null;
  }
}

function whyDisrupted({
  reason,
  message,
}: {
  reason?: string | undefined;
  message?: string | undefined;
}): string {
  const said = inOneLine(message);
  switch (reason) {
    case 'DeletionByTaintManager':
    case 'DeletionByPodGC':
      return `its node was lost: ${said}`;
    case 'PreemptionByScheduler':
      return `another Pod needed its place: ${said}`;
    case 'EvictionByEvictionAPI':
      return `its node is being emptied: ${said}`;
    default:
      return `its node ended it: ${said}`;
  }
}

function describeContainer(name: string, pod: Pod): ContainerState {
  const state = pod.status.containerStatuses.find((status) => status.name === name)?.state ?? {};
  if (state.running !== undefined) {
    return { name, state: 'running' };
  }
  if (state.terminated !== undefined) {
    const reason = whyEnded(name, pod, state.terminated);
    const { exitCode } = state.terminated;
    return { name, state: 'exited', exitCode, signal: null, ...(reason === null ? {} : { reason }) };
  }
  return state.waiting?.reason === 'PostStartHookError'
    ? { name, state: 'exited', exitCode: null, signal: null, reason: 'what prepares the session failed' }
    : { name, state: 'waiting' };
}

type Terminated = NonNullable<ContainerStatus['state']['terminated']>;

/** The message of a program that ran is untrusted, and is left out. */
function whyEnded(name: string, { spec }: Pod, { reason, message }: Terminated): string | null {
  switch (reason) {
    case 'OOMKilled': {
      const limit = spec.containers.find((container) => container.name === name)?.resources.limits['memory'];
      return `it used more than the ${inMebibytes(limit)} of memory that it may use`;
    }
    case 'ContainerStatusUnknown':
      return 'its node lost track of it';
    case 'StartError':
    case 'ContainerCannotRun':
      return `it could not be started: ${inOneLine(message)}`;
    default:
      return null;
  }
}

/** The limits are set in bytes; the cluster may report whole mebibytes in another notation. */
function inMebibytes(quantity: string | undefined): string {
  return /^\d+$/.test(quantity ?? '')
    ? `${Math.round(Number(quantity) / 1024 / 1024)} MiB`
    : (quantity ?? 'amount');
}
