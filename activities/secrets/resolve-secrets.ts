/** Which value `${NAME}` stands for: the one resolver for all consumers (docs/secrets.md#references). */
import type { MasterKeys } from '../../config/keys.ts';
import { modelKeyVariable } from '../../contract/model-program.ts';
import { secretNotSet } from '../../contract/secret-use.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { LaunchSecrets, ResolvedEnv } from '../../runtime/workload.ts';
import type { Db } from '../../store/database.ts';
import { openText } from '../../store/secrets/envelope.ts';
import { readSealed } from '../../store/secrets/read.ts';
import { launchRefused } from '../failures.ts';
import {
  agentConsumer,
  attachmentConsumer,
  modelConsumer,
  registryConsumer,
  type SecretConsumer,
  secretVariablesOf,
  siblingConsumer,
  variableProblem,
} from './consumers.ts';

/** The current value of one secret, and its version. */
export interface OpenedSecret {
  value: string;
  version: number;
}
export type OpenedSecrets = ReadonlyMap<string, OpenedSecret>;

export type ResolvedEnvironments = Omit<LaunchSecrets, 'sidecar'>;

/**
 * The environment of every container that starts with the session, by the workspace's secrets alone; never by a
 * process's environment. Each value goes only to the consumer that refers to it. Throws `launch_refused` for a secret
 * that is not set, or has changed since the configuration was frozen; UnreadableSecretError for one that cannot be decrypted.
 */
export async function resolveSecrets(
  { db, masterKeys }: { db: Db; masterKeys: MasterKeys },
  configuration: FrozenConfiguration,
): Promise<ResolvedEnvironments> {
  const agent = agentConsumer(configuration);
  const model = modelConsumer(configuration);
  const servers = configuration.servers.map((server) => [server.name, attachmentConsumer(server)] as const);
  const registries = configuration.servers.map((server) => [server.name, registryConsumer(server)] as const);
  const siblings = configuration.siblings.map((each) => [each.name, siblingConsumer(each)] as const);
  const consumers = [
    agent,
    model,
    ...[...servers, ...registries, ...siblings].map(([, consumer]) => consumer),
  ];
  const names = consumers.flatMap(secretVariablesOf).map(({ secretName }) => secretName);
  const opened = await openSecrets({ db, masterKeys }, configuration.workspace_id, [...new Set(names)]);
  const resolveAll = (list: (readonly [string, SecretConsumer])[]) =>
    Object.fromEntries(list.map(([name, consumer]) => [name, resolveEnv(consumer, opened)]));
  const { [modelKeyVariable]: modelKey } = resolveEnv(model, opened);
  return {
    agentEnv: resolveEnv(agent, opened),
    ...(modelKey === undefined ? {} : { modelKey }),
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

/** One container's environment. Throws `launch_refused`, naming the container, the variable and the secret. */
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
