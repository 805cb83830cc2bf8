import { ApplicationFailure, CancelledFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { type LaunchSecrets, WorkloadFailedError } from '../../runtime/workload.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';

const heartbeatIntervalMs = 2000;

/** A driver's error may hold anything: it is logged without the values, and Temporal is told only that the start failed. */
export async function startOnRuntime(
  { log }: Pick<ActivityDependencies, 'log'>,
  sessionId: string,
  secrets: LaunchSecrets,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const beating = setInterval(heartbeat, heartbeatIntervalMs);
  try {
    const signal = cancellationSignal();
    signal.throwIfAborted();
    await work(signal);
  } catch (error) {
    if (error instanceof ApplicationFailure || error instanceof CancelledFailure) {
      throw error;
    }
    if (error instanceof WorkloadFailedError) {
      throw launchRefused(withoutValues(error.message, secrets));
    }
    log.error({ sessionId, reason: withoutValues(String(error), secrets) }, 'the workload did not start');
    throw ApplicationFailure.retryable('The workload did not start; the worker logged why', 'start_failed');
  } finally {
    clearInterval(beating);
  }
}

/** The text with every value of the launch redacted, longest first. */
function withoutValues(text: string, secrets: LaunchSecrets): string {
  const { sidecar, agentEnv, serverEnv, siblingEnv, registryCredentials } = secrets;
  const ofMany = [...Object.values(serverEnv), ...Object.values(siblingEnv)];
  const environments = [sidecar, agentEnv, registryCredentials, ...ofMany];
  const values = environments.flatMap((env) => Object.values(env)).filter((value) => value !== '');
  return values
    .sort((a, b) => b.length - a.length)
    .reduce((clean, value) => clean.replaceAll(value, '[value]'), text);
}
