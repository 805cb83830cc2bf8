/**
 * Which value `${NAME}` stands for: the consumers that refer to secrets, each with its display name, and the
 * one resolver for all of them (docs/secrets.md#references).
 */
import type { MasterKeys } from '../../config/keys.ts';
import { modelKeyVariable } from '../../contract/model-program.ts';
import { secretNotSet } from '../../contract/secret-use.ts';
import type { FrozenConfiguration, FrozenEnv, FrozenServer } from '../../contract/session.ts';
import type { LaunchSecrets, ResolvedEnv } from '../../runtime/workload.ts';
import type { Db } from '../../store/database.ts';
import { openText } from '../../store/secrets/envelope.ts';
import { readSealed } from '../../store/secrets/secrets.ts';
import { launchRefused } from '../failures.ts';

/** The current value of one secret, and its version. */
export interface OpenedSecret {
  value: string;
  version: number;
}
export type OpenedSecrets = ReadonlyMap<string, OpenedSecret>;

export type ResolvedEnvironments = Omit<LaunchSecrets, 'sidecar'>;

/**
 * The environment of every container that starts with the session, by the workspace's secrets alone; never by
 * a process's environment. Each value goes only to the consumer that refers to it. Throws `launch_refused`
 * for a secret that is not set, or has changed since the configuration was frozen; UnreadableSecretError for
 * one that cannot be decrypted.
 */
export async function resolveSecrets(
  { db, masterKeys }: { db: Db; masterKeys: MasterKeys },
  configuration: FrozenConfiguration,
): Promise<ResolvedEnvironments> {
  const agent = agentConsumer(configuration);
  const model = modelConsumer(configuration);
  const repository = repositoryConsumer(configuration);
  const servers = configuration.servers.map((server) => [server.name, attachmentConsumer(server)] as const);
  const registries = configuration.servers.map((server) => [server.name, registryConsumer(server)] as const);
  const siblings = configuration.siblings.map((each) => [each.name, siblingConsumer(each)] as const);
  const consumers = [
    agent,
    model,
    repository,
    ...[...servers, ...registries, ...siblings].map(([, consumer]) => consumer),
  ];
  const names = consumers.flatMap(secretVariablesOf).map(({ secretName }) => secretName);
  const opened = await openSecrets({ db, masterKeys }, configuration.workspace_id, [...new Set(names)]);
  const resolveAll = (list: (readonly [string, SecretConsumer])[]) =>
    Object.fromEntries(list.map(([name, consumer]) => [name, resolveEnv(consumer, opened)]));
  const { [modelKeyVariable]: modelKey } = resolveEnv(model, opened);
  const { credential: repositoryCredential } = resolveEnv(repository, opened);
  return {
    agentEnv: resolveEnv(agent, opened),
    ...(modelKey === undefined ? {} : { modelKey }),
    ...(repositoryCredential === undefined ? {} : { repositoryCredential }),
    serverEnv: resolveAll(servers),
    siblingEnv: resolveAll(siblings),
    registryCredentials: Object.fromEntries(
      Object.entries(resolveAll(registries)).flatMap(([name, { registry_secret }]) =>
        registry_secret === undefined ? [] : [[name, registry_secret]],
      ),
    ),
  };
}

async function openSecrets(
  { db, masterKeys }: { db: Db; masterKeys: MasterKeys },
  workspaceId: string,
  names: string[],
): Promise<OpenedSecrets> {
  const sealed = names.length === 0 ? [] : await readSealed(db, workspaceId, names);
  return new Map(
    sealed.map((row) => {
      const value = openText(masterKeys, { workspaceId, name: row.name }, row);
      return [row.name, { value, version: row.version }];
    }),
  );
}

/**
 * One container's environment. Throws `launch_refused`, naming the container, the variable and the secret.
 */
function resolveEnv({ label, env }: SecretConsumer, opened: OpenedSecrets): ResolvedEnv {
  return Object.fromEntries(
    Object.entries(env).map(([variable, frozen]) => {
      if (frozen.kind === 'value') {
        return [variable, frozen.value];
      }
      const secret = opened.get(frozen.secret_name);
      if (secret === undefined) {
        throw launchRefused(variableProblem(label, variable, secretNotSet(frozen.secret_name).message));
      }
      if (secret.version !== frozen.secret_version) {
        throw launchRefused(
          `${label}: secret ${frozen.secret_name} of variable ${variable} changed after the configuration was frozen; start a new session`,
        );
      }
      return [variable, secret.value];
    }),
  );
}

export interface SecretConsumer {
  kind:
    | 'mcp_attachment'
    | 'registry_credentials'
    | 'agent_env'
    | 'model_key'
    | 'repository'
    | 'sibling_env'
    | 'service_env';
  label: string;
  env: FrozenEnv;
}

type Named = { name: string; env: FrozenEnv };

export const attachmentConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'mcp_attachment',
  label: `attachment "${name}"`,
  env,
});

/** Credentials for reading a server's image; they never reach a container. */
export const registryConsumer = ({
  name,
  registry_credentials,
}: Pick<FrozenServer, 'name' | 'registry_credentials'>): SecretConsumer => ({
  kind: 'registry_credentials',
  label: `the image of "${name}"`,
  env: registry_credentials === null ? {} : { registry_secret: registry_credentials },
});

/** The key of the agent's access to a language model: for the model container alone, never the agent's. */
const modelConsumer = ({ agent, service }: FrozenConfiguration): SecretConsumer => ({
  kind: 'model_key',
  label: "the agent's model access",
  env:
    agent.model_access === undefined || service !== undefined
      ? {}
      : { [modelKeyVariable]: agent.model_access.api_key },
});

/** For the sandbox that fetches alone; nothing of the session is given it. */
export const repositoryConsumer = ({ agent, service }: FrozenConfiguration): SecretConsumer => {
  const { name = '', credential = null } = agent.repository ?? {};
  return {
    kind: 'repository',
    label: `the repository "${name}"`,
    env: credential === null || service !== undefined ? {} : { credential },
  };
};

/** In the workload of a preview's service that is the service. */
const agentConsumer = ({ agent, service }: FrozenConfiguration): SecretConsumer =>
  service === undefined
    ? { kind: 'agent_env', label: "the agent's environment", env: agent.env }
    : serviceConsumer(agent);

const siblingConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'sibling_env',
  label: `sibling "${name}"`,
  env,
});

export const serviceConsumer = ({ name, env }: Named): SecretConsumer => ({
  kind: 'service_env',
  label: `service "${name}"`,
  env,
});

/**
 * Zone 2 (docs/secrets.md#two-zones): consumers that expose a secret to the agent's side, so that an
 * explicit grant is needed.
 */
export function exposingConsumers(configuration: FrozenConfiguration): SecretConsumer[] {
  return [
    agentConsumer(configuration),
    ...configuration.siblings.map(siblingConsumer),
    ...configuration.services.map(serviceConsumer),
  ];
}

export interface SecretVariable {
  variable: string;
  secretName: string;
  secretVersion: number;
}

export function secretVariablesOf({ env }: SecretConsumer): SecretVariable[] {
  return Object.entries(env).flatMap(([variable, value]) =>
    value.kind === 'secret'
      ? [{ variable, secretName: value.secret_name, secretVersion: value.secret_version }]
      : [],
  );
}

/**
 * What is wrong with one variable, as a sentence for the operator; `why` says it of the
 * variable, such as "needs ...".
 */
export const variableProblem = (label: string, variable: string, why: string) =>
  `${label}: variable ${variable} ${why}`;
