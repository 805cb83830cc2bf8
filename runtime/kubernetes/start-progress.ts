/** Pure: the start progress of a Pod, or why it cannot start. */
import { pullFailureOf } from '../container-workload/pull-failure.ts';
import { describePod } from './describe-pod.ts';
import { conditionOf, inOneLine, type Pod } from './pod.ts';

export type StartProgress =
  | { state: 'started' }
  /** `failedPulls`: containers whose image pull just failed, as sentences; it is retried. */
  | { state: 'waiting'; why: string; failedPulls: string[] }
  | { state: 'failed'; reason: string };

const neverPulls = new Set(['InvalidImageName', 'ErrImageNeverPull', 'SignatureValidationFailed']);
const failedPulls = new Set(['ErrImagePull', 'RegistryUnavailable']);
const pullWaits = new Set([...failedPulls, 'ImagePullBackOff']);
const whyNotPulled = {
  refused: 'its registry asks for credentials, or rejects those that it was given',
  missing: 'its registry does not have it',
  other: 'its registry does not answer as the node expects; the node’s log says more',
} as const;

export function startProgress(pod: Pod): StartProgress {
  const described = describePod(pod);
  if (described.state === 'lost') {
    return { state: 'failed', reason: `The workload was lost while it started: ${described.reason}` };
  }
  const containers = pod.spec.containers.map(({ name }) => containerProgress(name, pod));
  const failed = containers.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    return failed;
  }
  const waiting = containers.filter((each) => each.state === 'waiting');
  const [first] = waiting;
  return first === undefined
    ? { state: 'started' }
    : {
        ...first,
        why: whyUnscheduled(pod) ?? first.why,
        failedPulls: waiting.flatMap((each) => each.failedPulls),
      };
}

function whyUnscheduled(pod: Pod): string | null {
  const condition = conditionOf(pod, 'PodScheduled', 'False');
  return condition?.reason === 'Unschedulable'
    ? `no node of the cluster takes it: ${inOneLine(condition.message)}`
    : null;
}

function containerProgress(name: string, { status }: Pod): StartProgress {
  const state = status.containerStatuses.find((each) => each.name === name)?.state ?? {};
  if (state.terminated !== undefined) {
    const { reason, message } = state.terminated;
    return reason === 'StartError' || reason === 'ContainerCannotRun'
      ? { state: 'failed', reason: `Container ${name} could not be started: ${inOneLine(message)}` }
      : { state: 'started' };
  }
  if (state.running !== undefined) {
    return { state: 'started' };
  }
  const { reason = 'ContainerCreating', message } = state.waiting ?? {};
  const said = inOneLine(message);
  if (reason === 'PostStartHookError') {
    return { state: 'failed', reason: 'What prepares the session failed in the sidecar’s container' };
  }
  const failure = pullFailureOf(said);
  const pull = `The image of container ${name} cannot be pulled: ${neverPulls.has(reason) ? reason : whyNotPulled[failure]}`;
  // What a registry refuses or lacks stays so on a retry.
  if (neverPulls.has(reason) || (pullWaits.has(reason) && failure !== 'other')) {
    return { state: 'failed', reason: pull };
  }
  return {
    state: 'waiting',
    why: pullWaits.has(reason)
      ? pull
      : `container ${name} is waiting (${[reason, said].filter(Boolean).join(': ')})`,
    failedPulls: failedPulls.has(reason) ? [pull] : [],
  };
}
