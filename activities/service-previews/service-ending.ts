/** What a workload's end means for the service that it runs. Pure. */
import type { ServiceEnding } from '../../contract/workflows.ts';
import type { WorkloadExit } from '../workloads/workload-exit.ts';

/** Nobody wants it any more. */
export const serviceStopped: ServiceEnding = { state: 'stopped', reason: null };

/**
 * The end of a service is never its own decision: whoever has the preview open still wants it. Never
 * holds the service's output.
 */
export function serviceEndingOf(exit: WorkloadExit): ServiceEnding {
  switch (exit.kind) {
    case 'agent_exited':
      return failed(exitSentence(exit));
    case 'workload_lost':
      return failed(`The service was lost: ${exit.reason}`);
    case 'sidecar_lost': {
      const why = exit.reason === undefined ? '' : `: ${exit.reason}`;
      return failed(`The service ended because its gateway was lost${why}`);
    }
    case 'session_removed':
      return serviceStopped;
  }
}

const failed = (reason: string): ServiceEnding => ({ state: 'failed', reason });

/** Shell exit codes for a command that cannot run. */
const unusableCommand: Readonly<Record<number, string>> = { 126: 'is not a program', 127: 'was not found' };

function exitSentence({ exitCode, signal, reason }: Extract<WorkloadExit, { kind: 'agent_exited' }>): string {
  if (reason !== undefined) {
    return `The service was ended: ${reason}`;
  }
  if (exitCode === null) {
    return `The service was ended by ${signal ?? 'a signal'}`;
  }
  const problem = unusableCommand[exitCode];
  return problem === undefined
    ? `The service exited with code ${exitCode}`
    : `The service could not be started: its command ${problem} (exit code ${exitCode})`;
}
