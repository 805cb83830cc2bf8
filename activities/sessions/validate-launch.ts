/** Whether a session can be launched: every problem that is known before anything is started. */
import { moveSession } from '../../commands/sessions/move.ts';
import { claudeNeedsModel } from '../../contract/agent-references.ts';
import { attachmentPatterns, attachmentProblems } from '../../contract/attachment-validation.ts';
import type { Manifest } from '../../contract/catalog.ts';
import { defaultEndpointName, unspokenDialect } from '../../contract/model-endpoint.ts';
import type { JudgePattern, PatternTask } from '../../contract/patterns.ts';
import { forWorkersOnly, notForChildren } from '../../contract/remote-server.ts';
import { reservedForAgents } from '../../contract/reserved-variables.ts';
import { type KnownSecret, platformSecretRefusal, secretRefusal } from '../../contract/secret-use.ts';
import {
  chargedPersonOf,
  type FrozenConfiguration,
  type FrozenEnv,
  type FrozenServer,
} from '../../contract/session.ts';
import { type Runtime, UnsupportedWorkloadError } from '../../runtime/workload.ts';
import type { Db } from '../../store/database.ts';
import { readGrantedSecrets } from '../../store/grants/read.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { readCapacity } from '../../store/sessions/capacity.ts';
import { readRequestedEnding } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import {
  attachmentConsumer,
  exposingConsumers,
  registryConsumer,
  repositoryConsumer,
  secretVariablesOf,
  variableProblem,
} from '../secrets/resolve-secrets.ts';

/**
 * Throws `launch_refused` with every problem found, PatternsBusyError when it should be retried.
 * `needsSignIn`: it has servers that its operator signs in to. Idempotent: moves to
 * `validating`, then only reads.
 */
export async function validateLaunch(
  { db, runtime, patterns, limits }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ needsSignIn: boolean }> {
  const session = await moveSession(db, sessionId, { to: 'validating', reason: null });
  await requireWanted(db, sessionId);
  await requirePlace(db, sessionId, limits.WORKER_MAX_SESSIONS);
  const configuration = await requireConfiguration(db, sessionId);
  const owner = { userId: chargedPersonOf(session) ?? sessionId, workspaceId: session.workspace_id };
  const judge = await patterns.check(owner, launchPatterns(configuration));
  const hasOperator = session.operator_id !== null;
  const isChild = session.parent_session_id !== null;
  const facts = { ...(await readLaunchFacts(db, configuration)), judge, hasOperator, isChild };
  const problems = launchProblems(configuration, facts);
  if (problems.length > 0) {
    throw launchRefused(problems.join('; '));
  }
  renderOrRefuse(runtime, configuration);
  return { needsSignIn: configuration.servers.some(({ sign_in }) => sign_in === 'oauth') };
}

/**
 * Throws `launch_refused` when others take the places of a session, or of a preview's service. Running ones
 * go on when a worker is lost; only new ones are refused then. This worker counts, whatever it has reported.
 */
export async function requirePlace(db: Db, id: string, perWorker: number): Promise<void> {
  const { earlier, workers } = await readCapacity(db, id);
  const places = perWorker * Math.max(1, workers);
  if (earlier >= places) {
    throw launchRefused(
      `All ${places} places for sessions are taken (WORKER_MAX_SESSIONS of each worker); start it again when another session has ended`,
    );
  }
}

/** Throws `launch_refused` for a session that was asked to end before it started, such as with its parent. */
export async function requireWanted(db: Db, sessionId: string): Promise<void> {
  if ((await readRequestedEnding(db, sessionId)) !== null) {
    throw launchRefused('It was asked to end before it started');
  }
}

/** The frozen configuration; a session without one is refused. */
export async function requireConfiguration(db: Db, sessionId: string): Promise<FrozenConfiguration> {
  const configuration = await readConfiguration(db, sessionId);
  if (configuration === null) {
    throw launchRefused('The session has no frozen configuration');
  }
  return configuration;
}

/** The workload's description. Throws `launch_refused` with the driver's sentence for what it cannot run. */
export function renderOrRefuse(runtime: Runtime<unknown>, configuration: FrozenConfiguration): unknown {
  try {
    return runtime.render(configuration);
  } catch (error) {
    throw error instanceof UnsupportedWorkloadError ? launchRefused(error.message) : error;
  }
}

async function readLaunchFacts(db: Db, configuration: FrozenConfiguration) {
  const { servers } = configuration;
  const consumers = [
    ...servers.map(attachmentConsumer),
    ...servers.map(registryConsumer),
    repositoryConsumer(configuration),
    ...exposingConsumers(configuration),
  ];
  const names = [
    ...consumers.flatMap(secretVariablesOf).map(({ secretName }) => secretName),
    ...modelKeysOf(configuration),
  ];
  const { session_id: sessionId } = configuration;
  return {
    secrets: await readKnownSecrets(db, configuration.workspace_id, [...new Set(names)]),
    exposedSecrets: await readGrantedSecrets(db, { sessionId, grantType: 'agent_env', endpoint: null }),
    modelKeys: await readGrantedSecrets(db, {
      ...{ sessionId, grantType: 'model_key' },
      endpoint: configuration.agent.model_access?.endpoint ?? null,
    }),
  };
}

export interface LaunchFacts {
  secrets: ReadonlyMap<string, KnownSecret>;
  /** Secrets that an active `agent_env` grant exposes to this agent. */
  exposedSecrets: ReadonlySet<string>;
  /** Secrets that an active `model_key` grant makes a key for this agent. */
  modelKeys: ReadonlySet<string>;
  /** Judges the tasks of `launchPatterns`, which were run before. */
  judge: JudgePattern;
  /** Nobody drives a child or a scheduled session. */
  hasOperator: boolean;
  isChild: boolean;
}

/** What has to be run before `launchProblems` can judge. */
export function launchPatterns({ servers }: FrozenConfiguration): PatternTask[] {
  return servers.flatMap((server) => attachmentPatterns(manifestOf(server), asEntered(server.env)));
}

/**
 * Empty when the session may start. Attachments are checked against the manifests that were frozen with them.
 */
export function launchProblems(configuration: FrozenConfiguration, facts: LaunchFacts): string[] {
  return [
    ...configuration.servers.flatMap((server) => serverProblems(server, facts)),
    ...configuration.servers.flatMap((server) => registryProblems(server, facts)),
    ...repositoryProblems(configuration, facts),
    ...configuration.servers.flatMap((server) => remoteProblems(server, configuration, facts)),
    ...reservedProblems(configuration),
    ...exposureProblems(configuration, facts),
    ...modelAccessProblems(configuration, facts),
  ];
}

function manifestOf({ manifest_env: env, tool_scopes }: FrozenServer): Manifest {
  return { env, tool_scopes };
}

function serverProblems(server: FrozenServer, { secrets, judge }: LaunchFacts): string[] {
  const { label } = attachmentConsumer(server);
  const { name } = server;
  const env = asEntered(server.env);
  const problems = attachmentProblems({ name, manifest: manifestOf(server), env, secrets, judge });
  return problems.map(({ path, message }) => variableProblem(label, path.replace(/^env\./, ''), message));
}

/** The pull secret of an image, by the same rule as a server's own. */
function registryProblems(server: FrozenServer, { secrets }: LaunchFacts): string[] {
  const consumer = registryConsumer(server);
  return secretVariablesOf(consumer).flatMap(({ variable, secretName }) => {
    const refusal = secretRefusal(secretName, secrets.get(secretName), server.name);
    return refusal === null ? [] : [variableProblem(consumer.label, variable, refusal.message)];
  });
}

/** The platform itself uses it: no server is to be listed for it. */
function repositoryProblems(configuration: FrozenConfiguration, { secrets }: LaunchFacts): string[] {
  const consumer = repositoryConsumer(configuration);
  return secretVariablesOf(consumer).flatMap(({ variable, secretName }) => {
    const refusal = platformSecretRefusal(secretName, secrets.get(secretName));
    return refusal === null ? [] : [variableProblem(consumer.label, variable, refusal.message)];
  });
}

/** Only an agent that a person drives acts as that person. */
function remoteProblems(
  { name, shape, sign_in }: FrozenServer,
  { agent }: FrozenConfiguration,
  { hasOperator, isChild }: LaunchFacts,
): string[] {
  if (shape.type !== 'remote') {
    return [];
  }
  if (isChild) {
    return [`"${name}" ${notForChildren}`];
  }
  return [
    ...(agent.kind === 'worker' ? [] : [`"${name}" ${forWorkersOnly}`]),
    ...(sign_in === null
      ? [`"${name}" is a remote server that is not ready; its page in the catalog says why`]
      : []),
    ...(sign_in === 'oauth' && !hasOperator
      ? [`"${name}" is used by the person who drives a session, and nobody drives this one`]
      : []),
  ];
}

/** The frozen environment in its saved form. */
function asEntered(env: FrozenEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, frozen]) => [
      name,
      frozen.kind === 'secret' ? `\${${frozen.secret_name}}` : frozen.value,
    ]),
  );
}

/** Agents saved before a variable was reserved. */
const reservedProblems = (configuration: FrozenConfiguration): string[] =>
  exposingConsumers(configuration).flatMap(({ label, env }) =>
    Object.keys(env).flatMap((variable) => {
      const why = reservedForAgents(variable);
      return why === null ? [] : [variableProblem(label, variable, why)];
    }),
  );

/**
 * Zone 2 (docs/secrets.md#two-zones): a secret on the agent's side needs to be set, and
 * an admin's explicit grant.
 */
function exposureProblems(configuration: FrozenConfiguration, facts: LaunchFacts): string[] {
  return exposingConsumers(configuration).flatMap((consumer) =>
    secretVariablesOf(consumer).flatMap(({ variable, secretName }) => {
      const refusal = secretRefusal(secretName, facts.secrets.get(secretName), null);
      const exposed = facts.exposedSecrets.has(secretName)
        ? null
        : `would expose secret ${secretName}, which needs an agent_env grant`;
      const why = refusal?.message ?? exposed;
      return why === null ? [] : [variableProblem(consumer.label, variable, why)];
    }),
  );
}

/**
 * The secret that is the key; none for an agent without access, and for the workload of a preview's service.
 */
export function modelKeysOf({ agent: { model_access: access } }: FrozenConfiguration): string[] {
  return access === undefined ? [] : [access.api_key.secret_name];
}

/**
 * The key needs to be set, and an admin's explicit grant; the built-in agent `claude` needs the access, and
 * others a dialect that they speak.
 */
export function modelAccessProblems(
  configuration: FrozenConfiguration,
  { secrets, modelKeys }: { secrets: ReadonlyMap<string, KnownSecret>; modelKeys: ReadonlySet<string> },
): string[] {
  const { run, model, model_access: access } = configuration.agent;
  const isClaude = run.type === 'builtin' && run.name === 'claude';
  if (access === undefined) {
    return isClaude ? [`model_access ${claudeNeedsModel}`] : [];
  }
  const unspoken = unspokenDialect({ run, model }, access.dialect);
  const ofDialect = unspoken === null ? [] : [`the agent's model access: endpoint ${unspoken}`];
  const isUsual = access.endpoint === defaultEndpointName;
  const ofEndpoint = isUsual ? '' : ` for the endpoint ${access.endpoint}`;
  const ofKeys = modelKeysOf(configuration).flatMap((name) => {
    const granted = modelKeys.has(name)
      ? null
      : `would use secret ${name}, which needs a model_key grant${ofEndpoint}`;
    const why = secretRefusal(name, secrets.get(name), null)?.message ?? granted;
    return why === null ? [] : [`the agent's model access: api_key ${why}`];
  });
  return [...ofDialect, ...ofKeys];
}
