import { setTimeout as sleep } from 'node:timers/promises';
import { WorkloadFailedError } from '../workload.ts';
import { inOneLine } from './pod.ts';
import { ClusterError } from './requests.ts';

const firstPauseMs = 100;
const maxPauseMs = 2000;
/** Longer than an API server takes to know who may do what. */
const rightsKnownMs = 10_000;

/**
 * Does work that is harmless to repeat until the API server has answered it, until `signal` is aborted. Throws ClusterError for an
 * answer that stays, and the last temporary one when the time is over.
 */
export async function persist<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  let rightsKnownAtMs = Date.now() + rightsKnownMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !mayPass(error, Date.now() < rightsKnownAtMs)) {
        throw error;
      }
      if (!error.isLackOfRight) {
        // A server that is away will start, or another one will answer.
        rightsKnownAtMs = Date.now() + rightsKnownMs;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

function mayPass(error: unknown, rightsMayBeUnknown: boolean): error is ClusterError {
  return error instanceof ClusterError && (error.isTemporary || (rightsMayBeUnknown && error.isLackOfRight));
}

/** What the cluster refuses for good, as a sentence for the operator; every other error as it is. */
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
