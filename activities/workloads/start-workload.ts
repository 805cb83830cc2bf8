/** Starts a session's workload: the one place where secrets are plaintext outside the containers (design 6, 11). */
import { ApplicationFailure, CancelledFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { FrozenConfiguration } from '../../contract/session.ts';
import { isTerminal } from '../../contract/session.ts';
import { controlKey, internalToken } from '../../contract/session-keys.ts';
import { type LaunchSecrets, WorkloadFailedError } from '../../runtime/workload.ts';
import { inTransaction } from '../../store/database.ts';
import { useAgentEnvGrants } from '../../store/grants/use-agent-env.ts';
import { setApiUrl } from '../../store/sessions/api-url.ts';
import { moveSession } from '../../store/sessions/move-session.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { exposingConsumers, secretUsesOf } from '../secrets/consumers.ts';
import { resolveSecrets } from '../secrets/resolve-secrets.ts';
import { requireOperators } from '../sessions/require-operators.ts';
import { renderOrRefuse, requireConfiguration } from '../sessions/validate-launch.ts';

const heartbeatIntervalMs = 2000;

/**
 * Resolves the secrets, renders the workload and starts it; nothing that it resolved leaves it. Idempotent: the driver
 * starts a session's workload once. Throws `launch_refused` for what changed since validation; other faults are tried
 * again, and reported without their message, which could hold anything.
 */
export async function startWorkload(
  deps: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  const { db, runtime } = deps;
  const session = await moveSession(db, sessionId, { to: 'starting', reason: null });
  if (isTerminal(session.status)) {
    throw launchRefused('The session has already ended');
  }
  await inTransaction(db, (trx) => requireOperators(trx, session));
  const configuration = await requireConfiguration(db, sessionId);
  const spec = renderOrRefuse(runtime, configuration);
  await useExposedSecrets(deps, configuration);
  const secrets = await launchSecrets(deps, configuration);
  await setApiUrl(db, sessionId, deps.internalApiUrl);
  await start(deps, sessionId, secrets, (signal) => runtime.start(spec, secrets, signal));
}

/** A driver's error may hold anything: it is logged without the values, and Temporal is told only that the start failed. */
async function start(
  { log }: ActivityDependencies,
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

/** Zone 2 again at the moment of use: a grant that was revoked since validation opens nothing. */
async function useExposedSecrets(
  { db }: ActivityDependencies,
  configuration: FrozenConfiguration,
): Promise<void> {
  const uses = exposingConsumers(configuration).flatMap(secretUsesOf);
  const names = new Set(uses.map(({ secretName }) => secretName));
  const refused = await useAgentEnvGrants(db, {
    sessionId: configuration.session_id,
    secretNames: [...names],
  });
  if (refused.length > 0) {
    throw launchRefused(`the agent_env grant for secret ${refused.join(', ')} is not active any more`);
  }
}

async function launchSecrets(
  { db, masterKeys, sessionKeySeed }: ActivityDependencies,
  configuration: FrozenConfiguration,
): Promise<LaunchSecrets> {
  const { session_id } = configuration;
  return {
    ...(await resolveSecrets({ db, masterKeys }, configuration)),
    sidecar: {
      internal_token: internalToken(sessionKeySeed, session_id),
      control_key: controlKey(sessionKeySeed, session_id),
    },
  };
}

/** The text with every value of the launch blacked out, the longest first. */
function withoutValues(text: string, secrets: LaunchSecrets): string {
  const { sidecar, agentEnv, serverEnv, siblingEnv, registryCredentials } = secrets;
  const ofMany = [...Object.values(serverEnv), ...Object.values(siblingEnv)];
  const environments = [sidecar, agentEnv, registryCredentials, ...ofMany];
  const values = environments.flatMap((env) => Object.values(env)).filter((value) => value !== '');
  return values
    .sort((a, b) => b.length - a.length)
    .reduce((clean, value) => clean.replaceAll(value, '[value]'), text);
}
