/**
 * Every way in which a session ends, as the one closed value that is recorded. Pure,
 * except for reading failures.
 */
import { ActivityFailure, isCancellation, TemporalFailure } from '@temporalio/workflow';
import type { WorkloadExit } from '../activities/workloads/workload-exit.ts';
import { askedToEnd } from '../contract/sentences.ts';
import type { SessionEnding } from '../contract/workflows.ts';
import { sentenceOf } from './refusals.ts';

export const notReadyInTime = (limitMs: number): SessionEnding => ({
  status: 'failed',
  reason: `The session's sidecar was not ready within ${readable(limitMs)}`,
});

export const notSignedInInTime = (servers: readonly string[]): SessionEnding => ({
  status: 'failed',
  reason: `The operator did not sign in to ${servers.join(', ')} in time; start the session again to sign in`,
});

export const signInCancelled = (servers: readonly string[]): SessionEnding => ({
  status: 'failed',
  reason: `${servers.join(', ')} was changed or removed in the catalog before the operator signed in; start the session again`,
});

export const idleTooLong = (limitMs: number): SessionEnding => ({
  status: 'terminated',
  reason: `Nothing happened for ${readable(limitMs)}, the idle limit of this session`,
});

export const ranTooLong = (limitMs: number): SessionEnding => ({
  status: 'terminated',
  reason: `The session reached its total time limit of ${readable(limitMs)}`,
});

/**
 * Placeholder until the session's row tells who requested the end, and how (see the activity `recordEnd`).
 */
export const endRequested: SessionEnding = {
  status: 'terminated',
  reason: askedToEnd,
};

/**
 * A first run finds only sessions that are pending; any other was started by a run that
 * Temporal no longer knows.
 */
export const runWasLost: SessionEnding = {
  status: 'failed',
  reason: 'The record of what this session was doing was lost, so it cannot continue',
};

const cancelled: SessionEnding = { status: 'terminated', reason: 'The session was cancelled' };

/** Exit code or signal, never the agent's output. */
export function endingOfWorkload(exit: WorkloadExit): SessionEnding {
  switch (exit.kind) {
    case 'agent_exited':
      return endingOfAgent(exit);
    case 'workload_lost':
      return { status: 'failed', reason: `The session's workload was lost: ${exit.reason}` };
    case 'sidecar_lost':
      return {
        status: 'failed',
        reason: `The session ended because its sidecar was lost${exit.reason === undefined ? '' : `: ${exit.reason}`}`,
      };
    case 'session_removed':
      return { status: 'terminated', reason: 'The session was removed' };
  }
}

/** Shell exit codes for a command that cannot run. */
const commandNotFound = 127;
const commandNotExecutable = 126;

function endingOfAgent(exit: {
  exitCode: number | null;
  signal: string | null;
  reason?: string;
}): SessionEnding {
  if (exit.exitCode === 0) {
    return { status: 'completed', reason: 'The agent exited with code 0' };
  }
  if (exit.reason !== undefined) {
    return { status: 'failed', reason: `The agent was ended: ${exit.reason}` };
  }
  if (exit.exitCode === commandNotFound || exit.exitCode === commandNotExecutable) {
    const why = exit.exitCode === commandNotFound ? 'was not found' : 'is not a program';
    return {
      status: 'failed',
      reason: `The agent could not be started: its command ${why} (exit code ${exit.exitCode})`,
    };
  }
  const how =
    exit.exitCode === null
      ? `was ended by ${exit.signal ?? 'a signal'}`
      : `exited with code ${exit.exitCode}`;
  return { status: 'failed', reason: `The agent ${how}` };
}

/**
 * A step that failed permanently is an ending too. Only refusals of the launch (activities/failures.ts) are
 * quoted verbatim: other messages may hold anything. Rethrows what is not Temporal's, so that a fault in this
 * code stops the workflow's task instead of a session.
 */
export function endingOfFailure(error: unknown): SessionEnding {
  if (isCancellation(error)) {
    return cancelled;
  }
  const refused = sentenceOf(error, 'launch_refused');
  if (refused !== null) {
    return { status: 'failed', reason: refused };
  }
  if (error instanceof ActivityFailure) {
    return {
      status: 'failed',
      reason: internalError(problemOf(error.activityType)),
    };
  }
  if (error instanceof TemporalFailure) {
    return { status: 'failed', reason: internalError('a step failed') };
  }
  throw error;
}

const internalError = (problem: string) =>
  `An internal error of the platform: ${problem}. The worker’s log has the cause`;

/** A step that can fail permanently, in words for people: the name of its activity means nothing to them. */
function problemOf(activityType: string): string {
  switch (activityType) {
    case 'freezeConfiguration':
    case 'freezeCheck':
    case 'freezeService':
      return 'the configuration could not be frozen';
    case 'validateLaunch':
      return 'the configuration could not be validated';
    case 'startWorkload':
      return 'the workload could not be started';
    case 'startCheck':
      return 'the server could not be started';
    case 'startService':
      return 'the service could not be started';
    default:
      return 'a step failed';
  }
}

/** `90000` is `90 seconds`, `7200000` is `2 hours`. */
export function readable(durationMs: number): string {
  const units: [string, number][] = [
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
  ];
  const [name, unitMs] = units.find(([, ms]) => durationMs >= ms && durationMs % ms === 0) ?? [
    'second',
    1000,
  ];
  const count = durationMs / unitMs;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
