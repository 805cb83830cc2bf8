/**
 * Launches the workload of a session or a check: the one place where secrets are
 * plaintext outside the containers.
 */
import { ApplicationFailure, CancelledFailure, cancellationSignal } from '@temporalio/activity';
import type { FrozenConfiguration } from '../../contract/session.ts';
import { controlKey, internalToken } from '../../contract/session-keys.ts';
import { everyValue } from '../../runtime/variables.ts';
import { type LaunchSecrets, type OnStartDelay, WorkloadFailedError } from '../../runtime/workload.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { resolveSecrets } from '../secrets/resolve-secrets.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { inShare } from '../workspace-share.ts';

export interface Launch {
  configuration: FrozenConfiguration;
  /** The configuration as the runtime renders it. */
  spec: unknown;
  /** Called when every secret is resolved, before anything is started. */
  recordStart(): Promise<unknown>;
  /** Absent where nobody reads of it. */
  onDelay?: OnStartDelay;
}

/**
 * Resolves the secrets and starts the workload; no resolved value leaves it. Idempotent: the driver starts a
 * workload once. Throws `launch_refused` for what cannot be resolved or never starts, and for a workspace
 * that launches very many at a time; other faults are retried.
 */
export async function launch(
  dependencies: ActivityDependencies,
  { configuration, spec, recordStart, onDelay }: Launch,
): Promise<void> {
  const { db, masterKeys, sessionKeySeed, runtime, log } = dependencies;
  const sessionId = configuration.session_id;
  const secrets: LaunchSecrets = {
    ...(await resolveSecrets({ db, masterKeys }, configuration)),
    sidecar: {
      internal_token: internalToken(sessionKeySeed, sessionId),
      control_key: controlKey(sessionKeySeed, sessionId),
    },
  };
  await recordStart();
  try {
    const signal = cancellationSignal();
    signal.throwIfAborted();
    const share = { workspaceId: configuration.workspace_id, type: 'launch_refused' } as const;
    await inShare(dependencies, share, () =>
      withHeartbeats(() => runtime.start(spec, secrets, signal, onDelay)),
    );
  } catch (error) {
    throw failureOf(
      error,
      (reason) => log.error({ sessionId, reason }, 'the workload did not start'),
      secrets,
    );
  }
}

/**
 * A driver's error may hold anything: it is logged without the values, and Temporal is told
 * only that the start failed.
 */
function failureOf(error: unknown, logReason: (reason: string) => void, secrets: LaunchSecrets): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) {
    return error;
  }
  if (error instanceof WorkloadFailedError) {
    return launchRefused(withoutValues(error.message, secrets));
  }
  logReason(withoutValues(String(error), secrets));
  return ApplicationFailure.retryable('The workload did not start; the worker logged why', 'start_failed');
}

/** The text with every value of the launch redacted, longest first. */
function withoutValues(text: string, secrets: LaunchSecrets): string {
  return everyValue(secrets)
    .filter((value) => value !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((clean, value) => clean.replaceAll(value, '[value]'), text);
}
