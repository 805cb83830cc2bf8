/**
 * Pure: which variables each container of a session gets, on every runtime. Nothing else takes them out of
 * `LaunchSecrets` (test/architecture).
 */
import { modelKeyVariable } from '../contract/model-program.ts';
import { portVariable } from '../contract/service-variables.ts';
import type { FrozenEnv } from '../contract/session.ts';
import type { ContainerRole, LaunchSecrets, Network, ResolvedEnv } from './workload.ts';

/** Whose variables. */
export interface Recipient {
  role: ContainerRole;
  /** The server's or sibling's own name; null for sidecar, agent and model. */
  subject: string | null;
}

/** A variable before its launch: secrets by the variable's name only. */
export type ContainerVariable = { name: string; value: string } | { name: string; isSecret: true };

type Environments = Pick<LaunchSecrets, 'agentEnv' | 'serverEnv' | 'siblingEnv' | 'modelKey'>;

/** Variables as they are configured, secrets without their names. */
export type ConfiguredEnv = Readonly<Record<string, { kind: 'value'; value: string } | { kind: 'secret' }>>;

export const configuredEnv = (env: FrozenEnv): ConfiguredEnv =>
  Object.fromEntries(
    Object.entries(env).map(([name, variable]) => [
      name,
      variable.kind === 'secret' ? { kind: variable.kind } : variable,
    ]),
  );

/** What the platform puts into an environment. */
export interface PlatformVariables {
  sessionId: string;
  /** As the container sees them. */
  paths: { workspace: string; config: string; sidecarSocket: string };
  /** PATH; null for the image's own. */
  searchPath: string | null;
  /** Of `packageVariables`. */
  packages: ResolvedEnv;
  /** Of a service preview, whose agent is the service; null for a session. */
  service: { port: number } | null;
  /** Of `modelVariables`, for the agent alone; null without model access. */
  model: ResolvedEnv | null;
  /** Of `siblingsEnvironment`, for the agent alone. */
  siblings: ResolvedEnv;
}

/** The operator's registries; null: the package managers' own defaults, or the image's. */
export interface PackageSources {
  npmRegistryUrl: string | null;
  pypiIndexUrl: string | null;
  /** As the container sees it. */
  caFile: string | null;
}

/** Package managers fail fast with a clear message instead of retrying for a minute. */
const offlinePackages = {
  npm_config_offline: 'true',
  UV_OFFLINE: '1',
  PIP_NO_INDEX: '1',
} as const;

/**
 * How package managers find packages, for every container but the sidecar: one without a network is told so,
 * and one with it asks the operator's registries. In the variables of npm, uv, pip, Node and OpenSSL.
 */
export function packageVariables(
  network: Network,
  { npmRegistryUrl, pypiIndexUrl, caFile }: PackageSources,
): ResolvedEnv {
  if (network === 'none') {
    return offlinePackages;
  }
  return {
    ...(npmRegistryUrl === null ? {} : { npm_config_registry: npmRegistryUrl }),
    ...(pypiIndexUrl === null ? {} : { UV_DEFAULT_INDEX: pypiIndexUrl, PIP_INDEX_URL: pypiIndexUrl }),
    ...(caFile === null ? {} : { NODE_EXTRA_CA_CERTS: caFile, SSL_CERT_FILE: caFile }),
  };
}

/**
 * The later layer wins: the configuration over the platform's defaults, and what the platform tells the agent
 * over everything. A service is told nothing of the session, which it has no way to.
 */
function layered<Value>(
  { role }: Recipient,
  configured: Readonly<Record<string, Value>>,
  { sessionId, paths, searchPath, packages, service, siblings, model }: PlatformVariables,
): Record<string, Value | string> {
  return {
    ...(searchPath === null ? {} : { PATH: searchPath }),
    HOME: paths.workspace,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...packages,
    ...(service === null ? {} : { [portVariable]: String(service.port) }),
    ...configured,
    ...(role === 'agent' && service === null
      ? {
          PLATFORM_SESSION_ID: sessionId,
          PLATFORM_CONFIG: paths.config,
          PLATFORM_SIDECAR_SOCKET: paths.sidecarSocket,
          ...siblings,
          ...model,
        }
      : {}),
  };
}

/**
 * One container's variables without its secrets' values, sorted by name, so that equal
 * configurations render equally.
 */
export function planVariables(
  recipient: Recipient,
  configured: ConfiguredEnv,
  platform: PlatformVariables,
): ContainerVariable[] {
  const values = Object.entries(configured).map(
    ([name, variable]) => [name, variable.kind === 'secret' ? null : variable.value] as const,
  );
  return Object.entries(layered(recipient, Object.fromEntries(values), platform))
    .map(([name, value]) => (value === null ? { name, isSecret: true as const } : { name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A planned environment with its values. Throws, without a value, when one was not resolved. */
export function resolveVariables(
  container: Recipient & { name: string; env: readonly ContainerVariable[] },
  secrets: Environments,
): ResolvedEnv {
  const values = container.env.map((each) => [
    each.name,
    'value' in each ? each.value : resolvedSecret(container, each.name, secrets),
  ]);
  return Object.fromEntries(values);
}

/**
 * One container's whole environment, for a runtime that plans none. Throws, without a value, when a
 * secret was not resolved.
 */
export function environmentOf(
  container: Recipient & { name: string; secretVariables: readonly string[] },
  secrets: Environments,
  platform: PlatformVariables,
): ResolvedEnv {
  for (const variable of container.secretVariables) {
    resolvedSecret(container, variable, secrets);
  }
  return layered(container, resolvedFor(container, secrets), platform);
}

/**
 * The value of one secret variable of one container, and of no other. Throws, without it,
 * when it was not resolved.
 */
export function resolvedSecret(
  container: Recipient & { name: string },
  variable: string,
  secrets: Environments,
): string {
  const value = own(resolvedFor(container, secrets), variable);
  if (value === undefined) {
    throw new Error(`container ${container.name}: the secret of variable ${variable} was not resolved`);
  }
  return value;
}

/** Everything that was resolved for one container, and nothing of another's. */
function resolvedFor(
  { role, subject }: Recipient,
  { agentEnv, serverEnv, siblingEnv, modelKey }: Environments,
): ResolvedEnv {
  switch (role) {
    case 'sidecar':
      return {};
    case 'agent':
      return agentEnv;
    case 'server':
      return own(serverEnv, subject) ?? {};
    case 'sibling':
      return own(siblingEnv, subject) ?? {};
    case 'model':
      return modelKey === undefined ? {} : { [modelKeyVariable]: modelKey };
  }
}

/** Nothing inherited: a server may be called `constructor`. */
const own = <Value>(of: Readonly<Record<string, Value>>, key: string | null): Value | undefined =>
  key !== null && Object.hasOwn(of, key) ? of[key] : undefined;

/** The names of the variables that hold a secret: what a process writes is shown without their values. */
export const secretVariables = (env: ConfiguredEnv): string[] =>
  Object.entries(env).flatMap(([name, { kind }]) => (kind === 'secret' ? [name] : []));

/** The same, of a plan. */
export const plannedSecrets = (env: readonly ContainerVariable[]): string[] =>
  env.flatMap((variable) => ('isSecret' in variable ? [variable.name] : []));

/** Every value that a launch holds, so that none is left in a message. */
export function everyValue(secrets: LaunchSecrets): string[] {
  const { sidecar, agentEnv, serverEnv, siblingEnv, registryCredentials, modelKey, repositoryCredential } =
    secrets;
  const key = {
    ...(modelKey === undefined ? {} : { modelKey }),
    ...(repositoryCredential === undefined ? {} : { repositoryCredential }),
  };
  const ofMany = [...Object.values(serverEnv), ...Object.values(siblingEnv)];
  return [sidecar, agentEnv, registryCredentials, key, ...ofMany].flatMap((env) => Object.values(env));
}
