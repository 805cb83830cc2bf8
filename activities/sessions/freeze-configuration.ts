/** The first step of every session: its configuration is frozen (docs/sessions.md#frozen-configuration). */
import { freezeSession } from '../../commands/sessions/create.ts';
import type { Agent, Run } from '../../contract/agent.ts';
import type { ManifestEnvField } from '../../contract/catalog.ts';
import { findEndpoint, type ModelEndpoint, noSuchEndpoint } from '../../contract/model-endpoint.ts';
import { referencedSecretName } from '../../contract/names.ts';
import { repositoryUrl } from '../../contract/repository.ts';
import type {
  FrozenConfiguration,
  FrozenEnv,
  FrozenImage,
  FrozenRepository,
  FrozenSecret,
  FrozenServer,
  FrozenVariable,
  Session,
  SessionStatus,
} from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { longestReadySeconds } from '../../contract/sibling.ts';
import type { SessionLimits } from '../../contract/workflows.ts';
import { readAgent } from '../../store/agents/agents.ts';
import { type AttachedServer, readAttachedServers } from '../../store/attachments/read-for-launch.ts';
import { type Db, inSnapshot } from '../../store/database.ts';
import { readRepository } from '../../store/repositories/repositories.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import { readLogsToolPayloads, readWorkspaceSlug } from '../../store/workspaces/workspaces.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, operatorLeft } from '../failures.ts';
import { shownOf } from '../workflow-owner.ts';
import { inShare } from '../workspace-share.ts';
import { readImages } from './read-images.ts';

export interface Frozen {
  workspaceId: string;
  /**
   * Anything but `pending` means that an earlier run of this session was lost after it had
   * begun to start something.
   */
  status: SessionStatus;
  limits: SessionLimits;
  subject: string | null;
  searchAttributesKnown: boolean;
}

/**
 * Stores a snapshot of what the session will run with; the first one stored stays, so a second attempt
 * changes nothing. Returns the few facts that the workflow needs: ids, numbers and names. Throws
 * `launch_refused` when the operator is no longer a member.
 */
export async function freezeConfiguration(
  dependencies: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<Frozen> {
  const { db } = dependencies;
  const { session, ...sources } = await inSnapshot(db, async (trx) => {
    const session = await readSession(trx, sessionId);
    const agent = session === null ? null : await readAgent(trx, session.agent_id);
    if (session === null || agent === null) {
      throw launchRefused('The session was removed before it started');
    }
    const servers = await readAttachedServers(trx, agent.id);
    const repository = await readNamedRepository(trx, agent);
    const names = secretNamesOf(agent, servers, repository);
    const secrets = await readKnownSecrets(trx, session.workspace_id, names);
    const secretVersions = new Map([...secrets].map(([name, { version }]) => [name, version]));
    const slug = await readWorkspaceSlug(trx, session.workspace_id);
    const endpoint = endpointOf(agent, dependencies.modelEndpoints, slug);
    const logToolPayloads = await readLogsToolPayloads(trx, session.workspace_id);
    return { session, agent, servers, secretVersions, endpoint, repository, logToolPayloads };
  });
  const share = { workspaceId: session.workspace_id, type: 'launch_refused' } as const;
  const images = await inShare(dependencies, share, () =>
    readImages(imagesToRead(dependencies.runtime.name, sources.agent), (reference) =>
      dependencies.readImage(reference, session.workspace_id),
    ),
  );
  const frozenAt = new Date().toISOString();
  const configuration = buildConfiguration({ session, ...sources, images, frozenAt });
  const stored = await freezeSession(db, session, configuration);
  if (stored === null) {
    throw operatorLeft();
  }
  if (stored.log_tool_payloads) {
    await announcePayloads(db, sessionId);
  }
  return {
    ...factsOf(session),
    limits: limitsOf(stored, dependencies.limits),
    ...(await shownOf(dependencies, 'session', sessionId)),
  };
}

/** Where the agent's model access leads to. Throws `launch_refused` where the workspace may not use it. */
function endpointOf(
  { model_access: access }: Agent,
  endpoints: ActivityDependencies['modelEndpoints'],
  slug: string,
): ModelEndpoint | null {
  const found = access === null ? null : findEndpoint(endpoints, access.endpoint, slug);
  if (access !== null && found === null) {
    throw launchRefused(`the agent's model access ${noSuchEndpoint(access.endpoint)}`);
  }
  return found;
}

/**
 * Of the agent and its companions; a catalog entry's was read when it was stored. The process runtime refuses
 * images with its own message.
 */
function imagesToRead(runtimeName: string, { run, siblings, services }: Agent): string[] {
  const runs = [run, ...[...siblings, ...services].map((companion) => companion.run)];
  const references = runs.flatMap((each) => (each.type === 'image' ? [each.image] : []));
  return runtimeName === 'process' ? [] : [...new Set(references)];
}

/**
 * Where the agent's repository is, as an admin registered it by now. Throws `launch_refused` where that is
 * gone or leads elsewhere.
 */
async function readNamedRepository(db: Db, agent: Agent): Promise<NamedRepository | null> {
  if (agent.repository === null) {
    return null;
  }
  const entry = await readRepository(db, agent.workspace_id, agent.repository.name);
  const found = repositoryUrl(agent.repository, entry);
  if ('problem' in found) {
    throw launchRefused(`the agent's repository ${found.problem}`);
  }
  const { name, ref } = agent.repository;
  return { name, ref, url: found.url, credential: entry?.credential ?? null };
}

/** Makes it visible in the session's events that more than usual is recorded. */
async function announcePayloads(db: ActivityDependencies['db'], sessionId: string): Promise<void> {
  await appendSessionEvent(db, sessionId, {
    id: derivedId(sessionId, 'tool_payloads_logged'),
    type: 'platform.notice',
    actor: systemActor,
    payload: {
      code: 'tool_payloads_logged',
      message: 'This workspace keeps the arguments and results of tool calls in its audit trail.',
    },
  });
}

/**
 * Of a session that is being validated nothing was started: its first task may be
 * taken again after that step.
 */
const factsOf = ({ workspace_id: workspaceId, status }: Session) => ({
  workspaceId,
  status: status === 'validating' ? ('pending' as const) : status,
});

/** A session starts when its siblings are ready, for which each has a limit of its own. */
function limitsOf(
  { agent: { limits }, siblings }: FrozenConfiguration,
  defaults: ActivityDependencies['limits'],
): SessionLimits {
  return {
    startMs: (defaults.SESSION_START_SECONDS + longestReadySeconds(siblings)) * 1000,
    totalMs: (limits.total_seconds ?? defaults.SESSION_TOTAL_SECONDS) * 1000,
    idleMs: (limits.idle_seconds ?? defaults.SESSION_IDLE_SECONDS) * 1000,
  };
}

/** Version of each secret by name. */
export type SecretVersions = ReadonlyMap<string, number>;
type PlainEnv = Readonly<Record<string, string>>;

/** The credential as a bare reference. */
type NamedRepository = Omit<FrozenRepository, 'credential'> & { credential: string | null };

export interface ConfigurationSources {
  session: Session;
  agent: Agent;
  servers: readonly AttachedServer[];
  secretVersions: SecretVersions;
  /** Of the agent's model access; null without one. */
  endpoint: ModelEndpoint | null;
  /** Null without one. */
  repository: NamedRepository | null;
  /** The resolved image of the agent and each companion, by reference. */
  images: ReadonlyMap<string, FrozenImage>;
  /** The workspace's setting. */
  logToolPayloads: boolean;
  frozenAt: string;
}

function buildConfiguration(sources: ConfigurationSources): FrozenConfiguration {
  const { session, agent, servers, secretVersions, images, logToolPayloads, frozenAt } = sources;
  const imageOf = (run: Run) => (run.type === 'image' ? (images.get(run.image) ?? null) : null);
  const companion = ({ name, run, env }: Agent['services'][number]) => ({
    name,
    run,
    image: imageOf(run),
    env: freezeEnv(env, secretVersions),
  });
  return {
    session_id: session.id,
    workspace_id: session.workspace_id,
    agent: {
      id: agent.id,
      name: agent.name,
      kind: agent.kind,
      run: agent.run,
      image: imageOf(agent.run),
      instructions: agent.instructions,
      model: agent.model,
      env: freezeEnv(agent.env, secretVersions),
      network: agent.network,
      egress_allow: agent.egress_allow,
      limits: agent.limits,
      ...freezeModelAccess(agent.model_access, sources.endpoint, secretVersions),
      ...freezeRepository(sources.repository, secretVersions),
    },
    prompt: session.prompt,
    servers: servers.map((server) => freezeServer(server, secretVersions)),
    siblings: agent.siblings.map(({ port, ready, ...sibling }) => ({
      ...companion(sibling),
      ...(port === null ? {} : { port }),
      ...(ready === null ? {} : { ready }),
    })),
    services: agent.services.map(companion),
    has_operator: session.operator_id !== null,
    log_tool_payloads: logToolPayloads,
    frozen_at: frozenAt,
  };
}

function freezeModelAccess(
  access: Agent['model_access'],
  endpoint: ModelEndpoint | null,
  versions: SecretVersions,
): Pick<FrozenConfiguration['agent'], 'model_access'> {
  if (access === null) {
    return {};
  }
  const key = freezeSecret(access.api_key, versions);
  if (key === null || endpoint === null) {
    throw new Error('the agent’s model access has no reference to a secret, or no endpoint');
  }
  return { model_access: { ...access, api_key: key, dialect: endpoint.dialect } };
}

const freezeRepository = (
  repository: NamedRepository | null,
  versions: SecretVersions,
): Pick<FrozenConfiguration['agent'], 'repository'> =>
  repository === null
    ? {}
    : { repository: { ...repository, credential: freezeSecret(repository.credential ?? '', versions) } };

/** Every referenced secret. */
function secretNamesOf(
  agent: Agent,
  servers: readonly AttachedServer[],
  repository: NamedRepository | null,
): string[] {
  const environments = [agent, ...agent.siblings, ...agent.services, ...servers].map(({ env }) => env);
  const names = environments.flatMap((env) => Object.values(env).map(referencedSecretName));
  const ofRegistries = servers.map(({ shape }) =>
    shape.type === 'image' ? referencedSecretName(shape.registry_secret ?? '') : null,
  );
  const ofModel = referencedSecretName(agent.model_access?.api_key ?? '');
  const ofRepository = referencedSecretName(repository?.credential ?? '');
  return [...new Set([...names, ...ofRegistries, ofModel, ofRepository].filter((name) => name !== null))];
}

/** One server with its environment by reference, and the defaults of its manifest. */
export function freezeServer(
  { manifest, ...server }: AttachedServer,
  versions: SecretVersions,
): FrozenServer {
  return {
    ...server,
    registry_credentials: freezeCredentials(server, versions),
    env: freezeAttachmentEnv(manifest.env, server.env, versions),
    manifest_env: manifest.env,
    tool_scopes: manifest.tool_scopes,
  };
}

function freezeCredentials(
  { shape }: Pick<AttachedServer, 'shape'>,
  versions: SecretVersions,
): FrozenVariable | null {
  return shape.type === 'image' ? freezeSecret(shape.registry_secret ?? '', versions) : null;
}

/**
 * The manifest says which fields are references: text in a value field stays text, whatever it looks like.
 * Defaults fill missing values.
 */
function freezeAttachmentEnv(
  fields: Record<string, ManifestEnvField>,
  env: PlainEnv,
  versions: SecretVersions,
): FrozenEnv {
  const given = Object.entries(env).filter(([, text]) => text !== '');
  const variables = new Map<string, FrozenVariable>(
    given.map(([name, text]) => [
      name,
      fields[name]?.kind === 'secret' ? freezeVariable(text, versions) : { kind: 'value', value: text },
    ]),
  );
  for (const [name, field] of Object.entries(fields)) {
    if (field.default !== undefined && !variables.has(name)) {
      variables.set(name, { kind: 'value', value: field.default });
    }
  }
  return Object.fromEntries(variables);
}

function freezeEnv(env: PlainEnv, versions: SecretVersions): FrozenEnv {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => [name, freezeVariable(text, versions)]),
  );
}

const freezeVariable = (text: string, versions: SecretVersions): FrozenVariable =>
  freezeSecret(text, versions) ?? { kind: 'value', value: text };

/**
 * Null for what is no reference. A secret that does not exist is frozen as version 0: validation names it.
 */
function freezeSecret(text: string, versions: SecretVersions): FrozenSecret | null {
  const name = referencedSecretName(text);
  return name === null
    ? null
    : { kind: 'secret', secret_name: name, secret_version: versions.get(name) ?? 0 };
}
