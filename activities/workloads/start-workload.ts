/**
 * Starts a session's workload, once everything that was checked before is checked again, and launches that of
 * a check or a service: the one place where secrets are plaintext outside the containers.
 */

import { ApplicationFailure, CancelledFailure, cancellationSignal } from '@temporalio/activity';
import { useSecretGrants } from '../../commands/grants/use.ts';
import { lockOperators } from '../../commands/sessions/create.ts';
import { moveSession } from '../../commands/sessions/move.ts';
import { type FrozenConfiguration, isTerminal } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { controlKey, internalToken } from '../../contract/session-keys.ts';
import { everyValue } from '../../runtime/variables.ts';
import { type LaunchSecrets, type OnStartDelay, WorkloadFailedError } from '../../runtime/workload.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { setApiUrl } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, operatorLeft } from '../failures.ts';
import { exposingConsumers, resolveSecrets, secretVariablesOf } from '../secrets/resolve-secrets.ts';
import {
  modelKeysOf,
  renderOrRefuse,
  requireConfiguration,
  requireWanted,
} from '../sessions/validate-launch.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { inShare } from '../workspace-share.ts';

/**
 * Idempotent: the driver starts a session's workload once. Throws `launch_refused` for what changed since
 * validation; other faults are retried, and reported without their message, which could hold anything.
 */
export async function startWorkload(
  dependencies: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  const { db, runtime } = dependencies;
  const session = await moveSession(db, sessionId, { to: 'starting', reason: null });
  if (isTerminal(session.status)) {
    throw launchRefused('The session has already ended');
  }
  if (!(await lockOperators(db, session))) {
    throw operatorLeft();
  }
  await requireWanted(db, sessionId);
  const configuration = await requireConfiguration(db, sessionId);
  const spec = renderOrRefuse(runtime, configuration);
  await useExposedSecrets(dependencies, sessionId, configuration);
  await useModelKey(dependencies, configuration);
  await launch(dependencies, {
    configuration,
    spec,
    recordStart: () => setApiUrl(db, sessionId, dependencies.internalApiUrl),
    onDelay: (delay) => void announceDelay(dependencies, sessionId, delay),
  });
}

const maxPackagesLength = 300;

/** People see in the transcript what the start waits for. It continues when the event is lost. */
async function announceDelay(
  { db, log }: Pick<ActivityDependencies, 'db' | 'log'>,
  sessionId: string,
  delay: Parameters<OnStartDelay>[0],
): Promise<void> {
  const { code, of, message } = 'server' in delay ? packagesNotice(delay) : repositoryNotice(delay);
  await appendSessionEvent(db, sessionId, {
    id: derivedId(sessionId, code, of),
    type: 'platform.notice',
    actor: systemActor,
    payload: { code, message },
  }).catch((error: unknown) => log.warn({ sessionId, reason: String(error) }, 'a delay was not announced'));
}

type PackagesDelay = Extract<Parameters<OnStartDelay>[0], { server: string }>;
type RepositoryDelay = Exclude<Parameters<OnStartDelay>[0], PackagesDelay>;

const packagesNotice = ({ server, packages }: PackagesDelay) => ({
  ...{ code: 'packages_loading', of: server },
  message: `The packages of the MCP server "${server}" are being loaded: ${packages.join(', ').slice(0, maxPackagesLength)}`,
});

const repositoryNotice = ({ repository, from, ref }: RepositoryDelay) => ({
  ...{ code: 'repository_fetching', of: repository },
  message: `The repository "${repository}" is being fetched: ${ref} of ${from}`,
});

/**
 * Checks zone 2 again at the moment of use, of the session's grants: one revoked since validation exposes
 * nothing. Throws `launch_refused`.
 */
export async function useExposedSecrets(
  { db }: Pick<ActivityDependencies, 'db'>,
  sessionId: string,
  configuration: FrozenConfiguration,
): Promise<void> {
  const uses = exposingConsumers(configuration).flatMap(secretVariablesOf);
  const names = new Set(uses.map(({ secretName }) => secretName));
  await useGrants(db, { sessionId, grantType: 'agent_env', endpoint: null, secretNames: [...names] });
}

/**
 * Checks again, at the moment of use, that the session may use the key of its agent's model access.
 * Throws `launch_refused`.
 */
async function useModelKey(
  { db }: Pick<ActivityDependencies, 'db'>,
  configuration: FrozenConfiguration,
): Promise<void> {
  const secretNames = modelKeysOf(configuration);
  await useGrants(db, {
    ...{ sessionId: configuration.session_id, grantType: 'model_key', secretNames },
    endpoint: configuration.agent.model_access?.endpoint ?? null,
  });
}

async function useGrants(
  db: ActivityDependencies['db'],
  uses: Parameters<typeof useSecretGrants>[1],
): Promise<void> {
  const refused = await useSecretGrants(db, uses);
  if (refused.length > 0) {
    throw launchRefused(`The ${uses.grantType} grant for secret ${refused.join(', ')} is no longer active`);
  }
}

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

/** The sidecar is ready, so the session runs. Idempotent. */
export async function recordRunning(
  { db }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  await moveSession(db, sessionId, { to: 'running', reason: null });
}
