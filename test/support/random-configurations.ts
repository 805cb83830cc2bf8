/**
 * Frozen configurations as hostile tenants would choose them, with the secrets that they
 * name, for property tests.
 */

import fc from 'fast-check';
import type { Run } from '../../contract/agent.ts';
import type {
  FrozenConfiguration,
  FrozenEnv,
  FrozenModelAccess,
  FrozenServer,
} from '../../contract/session.ts';
import type { ContainerSettings } from '../../runtime/container-workload/container-settings.ts';
import type { LaunchSecrets, ResolvedEnv } from '../../runtime/workload.ts';
import { configuration, serverNamed } from './frozen-configuration.ts';
import { testEndpoints } from './model-endpoints.ts';
import { roomySidecarLimits } from './sidecar-limits.ts';

const digest = `sha256:${'ab'.repeat(32)}`;

/** Text that might be misinterpreted on its way into a container. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  fc.constantFrom('é\u202e', '😀$(HOME)', 'a\nb\tc', '"\'\\'),
  fc.constantFrom(
    '$(PLATFORM_SESSION_ID)',
    '$$(HOME)',
    '$$$(TOKEN)',
    '$',
    '$$',
    '$(',
    '$)',
    '${X}',
    '',
    '--',
    '-c',
  ),
);
const entryName = fc
  .stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/)
  .filter((name) => name !== 'platform');
const variableName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);
const secretName = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,20}$/);
const frozenEnv: fc.Arbitrary<FrozenEnv> = fc.dictionary(
  variableName,
  fc.oneof(
    text.map((value) => ({ kind: 'value' as const, value })),
    secretName.map((secret_name) => ({ kind: 'secret' as const, secret_name, secret_version: 1 })),
  ),
  { maxKeys: 5 },
);
const run: fc.Arbitrary<Run> = fc.oneof(
  fc.constant({ type: 'builtin' as const, name: 'scripted' as const }),
  fc.record({ type: fc.constant('command' as const), command: text, args: fc.array(text, { maxLength: 4 }) }),
  fc.constant({ type: 'image' as const, image: 'registry.example:5000/team/agent:1' }),
);
const command = fc.array(text, { minLength: 1, maxLength: 4 });
const volumes = fc.uniqueArray(
  fc.oneof(
    fc.stringMatching(/^(\/[a-z0-9_-]{1,8}){1,3}$/).filter((path) => !/^\/(run|opt)(\/|$)/.test(path)),
    // Where the platform mounts something of its own, and below it.
    fc.constantFrom('/dev/shm', '/tmp', '/workspace', '/workspace/data', '/tmp/a', '/dev'),
  ),
  { maxLength: 4 },
);
const image = fc.record({ digest: fc.constant(digest), command, volumes });
const network = fc.constantFrom('none' as const, 'internet' as const);

const serverFields = fc.record({
  env: frozenEnv,
  network,
  image_command: command,
  image_volumes: volumes,
  sign_in: fc.constantFrom('none' as const, 'headers' as const, 'oauth' as const),
  registry_credentials: fc.option(
    secretName.map((secret_name) => ({ kind: 'secret' as const, secret_name, secret_version: 1 })),
  ),
  shape: fc.oneof(
    fc.record({
      type: fc.constant('command' as const),
      command: text,
      args: fc.array(text, { maxLength: 4 }),
    }),
    entryName.map((name) => ({ type: 'image' as const, image: `registry.example/servers/${name}` })),
    fc.record({
      type: fc.constant('remote' as const),
      url: fc.constantFrom('https://far.test/$(HOME)', 'https://mcp.internal:8443/mcp?a=$$(b)'),
      headers: fc.array(fc.record({ name: fc.constant('x-key'), prefix: text, variable: variableName }), {
        maxLength: 1,
      }),
    }),
  ),
});
const servers: fc.Arbitrary<FrozenServer[]> = fc.uniqueArray(entryName, { maxLength: 5 }).chain((names) =>
  fc.tuple(
    ...names.map((name) =>
      serverFields.map(({ shape, registry_credentials, ...fields }) =>
        serverNamed(name, {
          ...fields,
          shape,
          image_digest: shape.type === 'image' ? digest : null,
          registry_credentials: shape.type === 'image' ? registry_credentials : null,
        }),
      ),
    ),
  ),
);
const ready = fc.option(
  fc.record({
    type: fc.constant('command' as const),
    command: text,
    args: fc.array(text, { maxLength: 3 }),
    timeout_seconds: fc.integer({ min: 1, max: 600 }),
  }),
  { nil: undefined },
);
const siblings = fc
  .uniqueArray(entryName, { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => fc.record({ name: fc.constant(name), run, image, env: frozenEnv, ready })),
    ),
  );

const modelAccess: fc.Arbitrary<FrozenModelAccess> = fc.record({
  endpoint: fc.constant('default'),
  dialect: fc.constant('messages' as const),
  api_key: secretName.map((secret_name) => ({ kind: 'secret' as const, secret_name, secret_version: 1 })),
  models: fc.array(fc.constantFrom('some-model', 'a:b/$(HOME)'), { maxLength: 2 }),
  requests_per_session: fc.constant(10),
  tokens_per_session: fc.constant(1000),
});

const frozen: fc.Arbitrary<FrozenConfiguration> = fc
  .record({
    session_id: fc.uuid(),
    workspace_id: fc.uuid(),
    servers,
    siblings,
    agent: fc.record({ run, image, env: frozenEnv, network, instructions: text }),
    model_access: fc.option(modelAccess),
    prompt: text,
    // At 7070 is the platform's own control port, where networks are shared.
    service: fc.option(fc.record({ port: fc.integer({ min: 7071, max: 65_535 }), session_id: fc.uuid() })),
  })
  .map(({ service, model_access, ...chosen }) =>
    configuration(
      service === null
        ? { ...chosen, agent: { ...chosen.agent, ...(model_access === null ? {} : { model_access }) } }
        : { ...ofService(chosen), service },
    ),
  );

/** A service has no servers and no companions, and is no built-in agent. */
function ofService<Chosen extends { agent: { run: Run } }>(chosen: Chosen) {
  const { run } = chosen.agent;
  const command: Run = { type: 'command', command: 'serve', args: [] };
  const agent = { ...chosen.agent, run: run.type === 'builtin' ? command : run };
  return { ...chosen, agent, servers: [], siblings: [] };
}

export interface RandomLaunch {
  configuration: FrozenConfiguration;
  secrets: LaunchSecrets;
  /** Every value that may be in no manifest. */
  values: string[];
}

/** A value of its own for every variable of every container, as if no two shared a secret. */
export const randomLaunch: fc.Arbitrary<RandomLaunch> = frozen.map((chosen) => {
  const values: string[] = [];
  const next = (): string => {
    // Long and odd enough not to be in anything by chance.
    const value = `secret-$(HOME)-${values.length}-of-${chosen.session_id}`;
    values.push(value);
    return value;
  };
  const resolve = (env: FrozenEnv): ResolvedEnv =>
    Object.fromEntries(
      Object.entries(env).map(([name, variable]) => [
        name,
        variable.kind === 'value' ? variable.value : next(),
      ]),
    );
  const ofEach = (list: readonly { name: string; env: FrozenEnv }[]) =>
    Object.fromEntries(list.map(({ name, env }) => [name, resolve(env)]));
  const secrets: LaunchSecrets = {
    agentEnv: resolve(chosen.agent.env),
    serverEnv: ofEach(chosen.servers),
    siblingEnv: ofEach(chosen.siblings),
    ...(chosen.agent.model_access === undefined ? {} : { modelKey: next() }),
    registryCredentials: Object.fromEntries(
      chosen.servers.flatMap(({ name, registry_credentials }) =>
        registry_credentials === null ? [] : [[name, `user:${next()}`]],
      ),
    ),
    sidecar: { internal_token: next(), control_key: next() },
  };
  return { configuration: chosen, secrets, values };
});

export const testContainerSettings: ContainerSettings = {
  apiUrl: 'http://api.gatepost.svc:8080',
  networks: 'shared',
  images: {
    ...{ sidecar: 'localhost/sidecar:1', scripted: 'localhost/scripted:1', runner: 'localhost/runner:1' },
    claude: 'localhost/claude:1',
  },
  acpImages: {},
  sizes: {
    sidecar: { memoryBytes: 256 * 1024 * 1024, cpuMillis: 500 },
    agent: { memoryBytes: 512 * 1024 * 1024, cpuMillis: 1000 },
    server: { memoryBytes: 512 * 1024 * 1024, cpuMillis: 1000 },
  },
  workspaceBytes: 256 * 1024 * 1024,
  temporaryBytes: 64 * 1024 * 1024,
  totalSeconds: 3600,
  privateHosts: new Map([
    ['mcp.internal:8443', 'https'],
    ['127.0.0.1:9000', 'http'],
    ['localhost:9000', 'http'],
  ]),
  modelEndpoints: testEndpoints(),
  auditSync: 'within-100-ms',
  sidecarLimits: roomySidecarLimits,
};
