import { retry } from '../../lib/timing/retry.ts';
import { WorkloadFailedError } from '../workload.ts';
import { inOneLine } from './pod.ts';
import { ClusterError } from './requests.ts';

const delays = { firstDelayMs: 100, maxDelayMs: 2000 };
/** Longer than an API server takes to load access rights. */
const rightsKnownMs = 10_000;

/**
 * Retries idempotent work until the API server has answered or `signal` is aborted. Throws ClusterError for a
 * permanent error, and the last temporary one on timeout.
 */
export function persist<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  let rightsKnownAtMs = Date.now() + rightsKnownMs;
  return retry(work, {
    ...delays,
    signal,
    isRetryable: (error) => error instanceof ClusterError && mayPass(error, Date.now() < rightsKnownAtMs),
    onRetry(error) {
      if (!(error instanceof ClusterError && error.isLackOfRight)) {
        // An unreachable server may restart, or another one answers.
        rightsKnownAtMs = Date.now() + rightsKnownMs;
      }
    },
  });
}

function mayPass(error: ClusterError, rightsMayBeUnknown: boolean): boolean {
  return error.isTemporary || (rightsMayBeUnknown && error.isLackOfRight);
}

/**
 * Turns a permanent refusal of the cluster into a sentence for the operator; returns other errors unchanged.
 */
export function sentenceFor(error: unknown, what: string): unknown {
  if (!(error instanceof ClusterError) || error.status === null) {
    return error;
  }
  const said = inOneLine(error.message);
  if (error.status === 403) {
    return new WorkloadFailedError(`${whyForbidden(said, what)}: ${said}`);
  }
  return [400, 413, 422].includes(error.status)
    ? new WorkloadFailedError(`The cluster does not accept the session’s ${what}: ${said}`)
    : error;
}

function whyForbidden(said: string, what: string): string {
  if (said.includes('violates PodSecurity')) {
    return `Pod Security admission of the cluster refuses the session’s ${what}`;
  }
  return said.includes('exceeded quota')
    ? `The quota of the sessions’ namespace leaves no room for the session’s ${what}`
    : `The cluster forbids the session’s ${what}`;
}
