/** Starts a session's workload, once everything that was checked before is checked again. */
import { useSecretGrants } from '../../commands/grants/use.ts';
import { lockOperators } from '../../commands/sessions/create.ts';
import { moveSession } from '../../commands/sessions/move.ts';
import { type FrozenConfiguration, isTerminal } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { OnStartDelay } from '../../runtime/workload.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { setApiUrl } from '../../store/sessions/addresses.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, operatorLeft } from '../failures.ts';
import { exposingConsumers, secretVariablesOf } from '../secrets/resolve-secrets.ts';
import {
  modelKeysOf,
  renderOrRefuse,
  requireConfiguration,
  requireWanted,
} from '../sessions/validate-launch.ts';
import { launch } from './launch.ts';

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
