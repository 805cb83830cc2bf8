/**
 * A session's configuration as it is frozen (docs/sessions.md#frozen-configuration). Pure: what was read goes in, references
 * come out.
 */
import type { Agent, Run } from '../../contract/agent.ts';
import type { ManifestEnvField } from '../../contract/catalog.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type {
  FrozenConfiguration,
  FrozenEnv,
  FrozenImage,
  FrozenSecret,
  FrozenServer,
  FrozenVariable,
  Session,
} from '../../contract/session.ts';
import type { AttachedServer } from '../../store/attachments/read-for-launch.ts';

/** Version of each secret by name. */
export type SecretVersions = ReadonlyMap<string, number>;
type PlainEnv = Readonly<Record<string, string>>;

export interface ConfigurationSources {
  session: Session;
  agent: Agent;
  servers: readonly AttachedServer[];
  secretVersions: SecretVersions;
  /** The resolved image of the agent and each companion, by reference. */
  images: ReadonlyMap<string, FrozenImage>;
  /** The workspace's setting. */
  logToolPayloads: boolean;
  frozenAt: string;
}

export function buildConfiguration(sources: ConfigurationSources): FrozenConfiguration {
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
      ...freezeModelAccess(agent.model_access, secretVersions),
    },
    prompt: session.prompt,
    servers: servers.map((server) => freezeServer(server, secretVersions)),
    siblings: agent.siblings.map(({ port, ready, ...sibling }) => ({
      ...companion(sibling),
      ...(port === null ? {} : { port }),
      ...(ready === null ? {} : { ready }),
    })),
    services: agent.services.map(companion),
    ...(session.operator_id === null ? { has_operator: false } : {}),
    log_tool_payloads: logToolPayloads,
    frozen_at: frozenAt,
  };
}

/** Absent without one: earlier releases refuse it. */
function freezeModelAccess(
  access: Agent['model_access'],
  versions: SecretVersions,
): Pick<FrozenConfiguration['agent'], 'model_access'> {
  if (access === null) {
    return {};
  }
  const key = freezeSecret(access.api_key, versions);
  if (key === null) {
    throw new Error('the key of an agent’s model access is no reference to a secret');
  }
  return { model_access: { ...access, api_key: key } };
}

/** Every referenced secret. */
export function secretNamesOf(agent: Agent, servers: readonly AttachedServer[]): string[] {
  const environments = [agent, ...agent.siblings, ...agent.services, ...servers].map(({ env }) => env);
  const names = environments.flatMap((env) => Object.values(env).map(referencedSecretName));
  const ofRegistries = servers.map(({ shape }) =>
    shape.type === 'image' ? referencedSecretName(shape.registry_secret ?? '') : null,
  );
  const ofModel = referencedSecretName(agent.model_access?.api_key ?? '');
  return [...new Set([...names, ...ofRegistries, ofModel].filter((name) => name !== null))];
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

/** The manifest says which fields are references: text in a value field stays text, whatever it looks like. Defaults fill missing values. */
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

/** Null for what is no reference. A secret that does not exist is frozen as version 0: validation names it. */
function freezeSecret(text: string, versions: SecretVersions): FrozenSecret | null {
  const name = referencedSecretName(text);
  return name === null
    ? null
    : { kind: 'secret', secret_name: name, secret_version: versions.get(name) ?? 0 };
}
