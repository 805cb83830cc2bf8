/**
 * The rules for a session in containers, derived from docs/runtimes.md and
 * docs/decisions/0012-static-relay.md, not from the renderer.
 */
import { expect } from '@jest/globals';
import type { FrozenConfiguration, FrozenEnv, FrozenServer } from '../../../../contract/session.ts';
import type {
  ContainerSpec,
  ContainerWorkload,
} from '../../../../runtime/container-workload/container-workload.ts';

/** Every rule that is broken, as `<container>: <rule>`. */
export function violations(
  { networks, ...workload }: ContainerWorkload & { networks: 'shared' | 'own' },
  frozen: FrozenConfiguration,
): string[] {
  const { containers } = workload;
  return [
    ...containers.flatMap((container) => [
      ...ofEach(container, networks, frozen),
      ...ofSecrets(container, frozen),
      ...(container.role === 'sidecar' ? [] : ofUntrusted(container, frozen)),
    ]),
    ...broken('the session', {
      'the sidecar first, and once': containers.map(({ role }) => role === 'sidecar').lastIndexOf(true) === 0,
      'a user for each': new Set(containers.map(({ uid }) => uid)).size === containers.length,
      'a name for each': new Set(containers.map(({ name }) => name)).size === containers.length,
      'views are shared by nobody, but the relay': isUnshared(containers),
      'the agent is told nothing of the platform': isHarmless(workload.boot.agent_config),
    }),
  ];
}

const broken = (container: string, rules: Record<string, boolean>): string[] =>
  Object.entries(rules)
    .filter(([, kept]) => !kept)
    .map(([rule]) => `${container}: ${rule}`);

const relay = '/opt/platform/bin/relay';

function ofEach(
  { name, image, argv, env, uid, size, scratch, ...rest }: ContainerSpec,
  networks: string,
  { service }: FrozenConfiguration,
) {
  const { role, network } = rest;
  const command = argv.indexOf('--');
  const options = argv.slice(1, command);
  const narrowed = options.includes('--network') ? options[options.indexOf('--network') + 1] : undefined;
  // A service takes the connections of its relay.
  const none = service === undefined ? 'none' : 'listen';
  const expected = { shared: { none }, own: { internet: 'restricted' } }[networks];
  return broken(name, {
    'the relay first, and a command behind it': argv[0] === relay && command > 0 && argv.length > command + 1,
    'its network is narrowed before the command runs':
      role === 'sidecar' || narrowed === new Map(Object.entries(expected ?? {})).get(network),
    'limited memory, processor and room':
      size.memoryBytes > 0 && size.cpuMillis > 0 && scratch.every(({ sizeBytes }) => sizeBytes > 0),
    'no file larger than its room':
      role === 'sidecar' ||
      (options.includes('--file-size') &&
        scratch.some(({ sizeBytes }) => String(sizeBytes) === options[options.indexOf('--file-size') + 1])),
    'nobody of the system': uid >= 10_000,
    'each variable once': new Set(env.map((variable) => variable.name)).size === env.length,
    'an image': image.reference !== '',
  });
}

const modelEnvOf = ({ agent }: FrozenConfiguration): FrozenEnv =>
  agent.model_access === undefined ? {} : { MODEL_API_KEY: agent.model_access.api_key };

/**
 * A variable is a secret exactly where it was configured to be one, and nothing says which secret, anywhere.
 */
function ofSecrets({ name, role, subject, env, image }: ContainerSpec, frozen: FrozenConfiguration) {
  const named = (list: readonly { name: string; env: FrozenEnv }[]) =>
    list.find((each) => each.name === subject)?.env;
  const own: FrozenEnv =
    {
      sidecar: {},
      agent: frozen.agent.env,
      server: named(frozen.servers),
      sibling: named(frozen.siblings),
      model: modelEnvOf(frozen),
    }[role] ?? {};
  const credentials = frozen.servers.find((each) => each.name === subject)?.registry_credentials ?? null;
  const needsCredentials = role === 'server' && credentials !== null;
  const configured = (variable: string) => own[variable]?.kind === 'secret';
  const isPlatforms = (variable: string) => role === 'agent' && /^(PLATFORM|ANTHROPIC)_/.test(variable);
  return broken(name, {
    'secrets of its own only': env.every(
      (variable) => !('isSecret' in variable) || configured(variable.name),
    ),
    'its secrets by name alone': env.every(
      (variable) =>
        'isSecret' in variable === (configured(variable.name) && !isPlatforms(variable.name)) &&
        Object.keys(variable).every((field) => ['name', 'value', 'isSecret'].includes(field)),
    ),
    'credentials of its own image only': image.credentialsOf === (needsCredentials ? subject : null),
  });
}

/** Only the sidecar reaches its control port, its boot file and the whole volume. */
function ofUntrusted(container: ContainerSpec, frozen: FrozenConfiguration) {
  const { name, role, subject, views, scratch } = container;
  const writable = ['/workspace', '/tmp', ...declaredVolumes(container, frozen)];
  const viewsByRole: Record<ContainerSpec['role'], string[]> = {
    agent: ['agent', 'reports/agent'],
    server: [`servers/${subject}`],
    sibling: [`reports/sibling-${subject}`],
    sidecar: [],
    model: ['model'],
  };
  const own = viewsByRole[role];
  return broken(name, {
    'its own view only': views.every(({ directory }) => directory === 'bin' || own.includes(directory)),
    // The model program is the platform's own, and nobody is shown what it writes.
    'its output goes through the relay, without its secrets': role === 'model' || isReported(container),
    'the relay at its path': views.some(
      ({ directory, path }) => directory === 'bin' && path === '/opt/platform/bin',
    ),
    'writes nowhere else': sameMembers(
      scratch.map(({ path }) => path),
      writable,
    ),
    'nothing of the platform': isHarmless(container),
  });
}

/** Whether it reports to the socket of its own view, with exactly the names of its secret variables. */
function isReported({ role, argv, env, views }: ContainerSpec): boolean {
  const options = argv.slice(1, argv.indexOf('--'));
  const valuesOf = (name: string) =>
    options.filter(
      (_, index) => index > 0 && options[index - 1] === name && !options[index]?.startsWith('--'),
    );
  const secrets = env.flatMap((variable) => ('isSecret' in variable ? [variable.name] : []));
  const directory = role === 'server' ? '/run/platform/mcp' : '/run/platform-report';
  return (
    views.some(({ path }) => path === directory) &&
    valuesOf('--report').join() === `${directory}/.report.sock` &&
    sameMembers(valuesOf('--secret'), secrets)
  );
}

/** The volumes that its image declares, if that is a tenant's. */
function declaredVolumes(
  { role, subject }: ContainerSpec,
  { agent, servers, siblings }: FrozenConfiguration,
) {
  const server = servers.find(({ name }) => role === 'server' && name === subject);
  if (server !== undefined) {
    return server.shape.type === 'image' ? (server.image_volumes ?? []) : [];
  }
  const runs = role === 'agent' ? agent : siblings.find(({ name }) => name === subject);
  return runs?.run.type === 'image' ? (runs.image?.volumes ?? []) : [];
}

const sameMembers = (left: readonly string[], right: readonly string[]) =>
  JSON.stringify([...left].sort()) === JSON.stringify([...new Set(right)].sort());

const isHarmless = (shown: unknown) =>
  !/platform-boot|platform-session|boot\.json|control_(?:port|key|host)|internal_token|api\.gatepost\.svc/.test(
    JSON.stringify(shown),
  );

function isUnshared(containers: readonly ContainerSpec[]): boolean {
  const seen = containers.flatMap(({ views }) => views.map(({ directory }) => directory));
  const own = seen.filter((directory) => directory !== 'bin');
  return new Set(own).size === own.length;
}

/** What a server's entry says that runs, to be compared with `toEqual`. */
export function commandOf({ shape, image_command }: FrozenServer): unknown {
  switch (shape.type) {
    case 'command':
      return [shape.command, ...shape.args];
    case 'image':
      return image_command;
    case 'remote':
      return ['node', '/opt/platform/remote-bridge.js', expect.stringContaining(JSON.stringify(shape.url))];
  }
}
