import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FrozenEnv } from '../../../contract/session.ts';
import { modelVariables } from '../../../runtime/model-program.ts';
import {
  environmentOf,
  everyValue,
  type PlatformVariables,
  packageVariables,
  planVariables,
  type Recipient,
  resolvedSecret,
  resolveVariables,
  secretVariables,
} from '../../../runtime/variables.ts';
import type { ContainerRole, LaunchSecrets } from '../../../runtime/workload.ts';
import { checkProperty } from '../../support/property.ts';
import { randomLaunch } from '../../support/random-configurations.ts';

const platform: PlatformVariables = {
  sessionId: 'the-session',
  paths: { workspace: '/workspace', config: '/config.json', sidecarSocket: '/sidecar.sock' },
  searchPath: '/bin',
  packages: { UV_OFFLINE: '1' },
  service: null,
  model: null,
  siblings: {},
};
const secrets: LaunchSecrets = {
  agentEnv: { KEY: 'of the agent' },
  serverEnv: { one: { KEY: 'of one' }, two: {} },
  siblingEnv: { one: { KEY: 'of the sibling' } },
  modelKey: 'of the model',
  registryCredentials: { one: 'user:password' },
  sidecar: { internal_token: 'the token', control_key: 'the key' },
};
const named = (role: ContainerRole, subject: string | null = null) => ({ name: 'it', role, subject });
const secret = { kind: 'secret' as const, secret_name: 'OF_THE_WORKSPACE', secret_version: 1 };

const operators = { npmRegistryUrl: 'https://n.test/', pypiIndexUrl: 'https://p.test/', caFile: '/ca.pem' };

describe('the variables of package managers', () => {
  const offline = { npm_config_offline: 'true', UV_OFFLINE: '1', PIP_NO_INDEX: '1' };
  it('say that there is no network where there is none, and else where packages come from', () => {
    expect(packageVariables('none', operators)).toEqual(offline);
    expect(packageVariables('internet', operators)).toEqual({
      npm_config_registry: operators.npmRegistryUrl,
      UV_DEFAULT_INDEX: operators.pypiIndexUrl,
      PIP_INDEX_URL: operators.pypiIndexUrl,
      NODE_EXTRA_CA_CERTS: operators.caFile,
      SSL_CERT_FILE: operators.caFile,
    });
    const own = { npmRegistryUrl: null, pypiIndexUrl: null, caFile: null };
    expect(packageVariables('internet', own)).toEqual({});
  });
});

describe('the variables of a container', () => {
  it.each<[string, Recipient & { name: string }, string | null]>([
    ['the agent', named('agent'), 'of the agent'],
    ['a server', named('server', 'one'), 'of one'],
    ['a sibling with the name of a server', named('sibling', 'one'), 'of the sibling'],
    ['a server whose variables hold no secret', named('server', 'two'), null],
    ['an unknown server', named('server', 'three'), null],
    ['a server with an inherited name', named('server', 'constructor'), null],
    ['the sidecar', named('sidecar'), null],
  ])('include what was resolved for it alone: %s', (_, recipient, value) => {
    const read = () => resolvedSecret(recipient, 'KEY', secrets);
    if (value === null) {
      expect(read).toThrow('container it: the secret of variable KEY was not resolved');
    } else {
      expect(read()).toBe(value);
    }
    const whole = environmentOf({ ...recipient, secretVariables: [] }, secrets, platform);
    expect(whole['KEY'] ?? null).toBe(value);
  });

  it('are refused while one of its secrets has no value', () => {
    const container = { ...named('agent'), secretVariables: ['KEY', 'constructor'] };
    expect(() => environmentOf(container, secrets, platform)).toThrow(
      'variable constructor was not resolved',
    );
  });

  it('are those of the platform unless the configuration sets them, and always those about the session', () => {
    const env: FrozenEnv = {
      LANG: { kind: 'value', value: 'C' },
      HOME: secret,
      UV_OFFLINE: { kind: 'value', value: '0' },
      PLATFORM_CONFIG: secret,
      PLATFORM_SIDECAR_SOCKET: { kind: 'value', value: '/tmp/mine.sock' },
    };
    const ofRole = (role: ContainerRole) =>
      Object.fromEntries(
        planVariables(named(role), env, platform).map((each) => [
          each.name,
          'value' in each ? each.value : null,
        ]),
      );
    const forAll = { PATH: '/bin', HOME: null, TMPDIR: '/tmp', LANG: 'C', UV_OFFLINE: '0' };
    expect(ofRole('agent')).toEqual({
      ...forAll,
      PLATFORM_SESSION_ID: 'the-session',
      PLATFORM_CONFIG: '/config.json',
      PLATFORM_SIDECAR_SOCKET: '/sidecar.sock',
    });
    expect(ofRole('server')).toEqual({
      ...forAll,
      PLATFORM_CONFIG: null,
      PLATFORM_SIDECAR_SOCKET: '/tmp/mine.sock',
    });
  });

  it('tell an agent with access to a model how to ask it, and never with a key', () => {
    const model = modelVariables('messages', '/run/platform/agent/model.sock', true);
    const own = {
      ANTHROPIC_API_KEY: secret,
      ANTHROPIC_BASE_URL: { kind: 'value', value: 'http://x' },
    } as const;
    const ofRole = (role: ContainerRole) => planVariables(named(role), own, { ...platform, model });
    expect(ofRole('agent')).toEqual(
      expect.arrayContaining([
        { name: 'ANTHROPIC_API_KEY', value: 'none' },
        { name: 'ANTHROPIC_BASE_URL', value: 'http://127.0.0.1:7071' },
        { name: 'ANTHROPIC_UNIX_SOCKET', value: '/run/platform/agent/model.sock' },
      ]),
    );
    const openai = modelVariables('responses', '/run/platform/agent/model.sock', false);
    expect(openai).toEqual({
      MODEL_DIALECT: 'responses',
      MODEL_UNIX_SOCKET: '/run/platform/agent/model.sock',
      OPENAI_BASE_URL: 'http://model.invalid/v1',
      OPENAI_API_KEY: 'none',
    });
    expect(ofRole('server')).toContainEqual({ name: 'ANTHROPIC_API_KEY', isSecret: true });
    expect(ofRole('model').map(({ name }) => name)).not.toContain('ANTHROPIC_UNIX_SOCKET');
  });

  it('hold the key of a model in its own program alone', () => {
    const key = (role: ContainerRole) => () => resolvedSecret(named(role, 'one'), 'MODEL_API_KEY', secrets);
    expect(key('model')()).toBe('of the model');
    for (const role of ['agent', 'server', 'sibling', 'sidecar'] as const) {
      expect(key(role)).toThrow('was not resolved');
    }
  });

  it('are the same whether planned and then resolved, or resolved directly', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: { agent, servers, siblings }, secrets: resolved }) => {
        const containers = [
          { ...named('agent'), env: agent.env },
          ...servers.map(({ name, env }) => ({ ...named('server', name), env })),
          ...siblings.map(({ name, env }) => ({ ...named('sibling', name), env })),
        ];
        for (const { env, ...container } of containers) {
          const planned = { ...container, env: planVariables(container, env, platform) };
          const whole = environmentOf(
            { ...container, secretVariables: secretVariables(env) },
            resolved,
            platform,
          );
          expect(resolveVariables(planned, resolved)).toEqual(whole);
        }
      }),
      { runs: 200 },
    );
  });

  it('name no secret of the workspace in the plan', () => {
    const planned = planVariables(named('agent'), { KEY: secret }, platform);
    expect(planned).toContainEqual({ name: 'KEY', isSecret: true });
    expect(JSON.stringify(planned)).not.toContain(secret.secret_name);
  });
});

describe('the values of a launch', () => {
  it('are complete, so that each can be removed from a message', () => {
    expect(everyValue(secrets).sort()).toEqual(
      [
        'of the agent',
        'of one',
        'of the model',
        'of the sibling',
        'the key',
        'the token',
        'user:password',
      ].sort(),
    );
  });
});
