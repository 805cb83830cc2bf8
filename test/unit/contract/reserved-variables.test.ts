import { describe, expect, it } from '@jest/globals';
import { agent, agentInput } from '../../../contract/agent.ts';
import { fieldProblemsOf } from '../../../contract/errors.ts';
import { isReservedVariable } from '../../../contract/reserved-variables.ts';

const run = { type: 'builtin', name: 'scripted' };
const problemsOf = (fields: object) => {
  const parsed = agentInput.safeParse({ name: 'a', run, ...fields });
  return parsed.success ? [] : fieldProblemsOf(parsed.error);
};
const code = 'decides which code a program loads; it may not be set';
const decideLoading = [
  'LD_PRELOAD',
  'DYLD_INSERT_LIBRARIES',
  'GLIBC_TUNABLES',
  'MALLOC_CONF',
  'PATH',
  'OPENSSL_CONF',
  'BASH_ENV',
  'NODE_OPTIONS',
  'PYTHONPATH',
  'PYTHONHOME',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
];

describe('the variables of an agent', () => {
  it.each(decideLoading)(
    'do not include %s, which decides which code loads, nor do those of companions',
    (name) => {
      const env = { [name]: 'x' };
      const companions = [{ name: 's', run: { type: 'image', image: 'web:1' }, env }];
      expect(isReservedVariable(name)).toBe(true);
      expect(problemsOf({ env, siblings: companions, services: companions })).toEqual(
        ['env', 'siblings.0.env', 'services.0.env'].map((path) =>
          expect.objectContaining({ path: `${path}.${name}`, message: code }),
        ),
      );
    },
  );

  it.each(['HOME', 'PLATFORM_SESSION_ID'])('do not include %s, which the platform sets', (name) => {
    expect(problemsOf({ env: { [name]: 'x' } })).toMatchObject([
      { path: `env.${name}`, message: 'is set by the platform and cannot be configured' },
    ]);
  });

  it.each([
    'npm_config_registry',
    'UV_INDEX_URL',
    'PIP_INDEX_URL',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_GLOBAL',
    'PAGER',
  ])('may include %s, which no manifest may declare', (name) => {
    expect(isReservedVariable(name)).toBe(true);
    expect(problemsOf({ env: { [name]: 'x' } })).toEqual([]);
  });

  it.each([
    'npm_config_loglevel',
    'NPM_CONFIG_LOGLEVEL',
    'npm_config_progress',
    'UV_NO_PROGRESS',
    'UV_HTTP_TIMEOUT',
    'npm_config_fetch_retries',
    'PIP_QUIET',
    'PIP_DISABLE_PIP_VERSION_CHECK',
    'LOG_LEVEL',
  ])(
    'may include %s, and so may a manifest: it only decides what is logged, or how long is waited',
    (name) => {
      expect(isReservedVariable(name)).toBe(false);
      expect(problemsOf({ env: { [name]: 'error' } })).toEqual([]);
    },
  );

  it.each([
    'npm_config_loglevel_x',
    'xnpm_config_loglevel',
    'npm_config_logs_dir',
    'UV_CONFIG_FILE',
    'PIP_LOG',
  ])('%s is none that only decides what is logged', (name) => {
    expect(isReservedVariable(name)).toBe(!name.startsWith('x'));
  });

  it('of an agent from before a name was refused can still be read', () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const at = '2026-01-01T00:00:00Z';
    const env = { PYTHONHOME: '/x' };
    const companions = [{ name: 's', run, env }];
    const stored = { ...agentInput.parse({ name: 'a', run }), env, siblings: companions };
    const row = {
      ...{ ...stored, id, workspace_id: id, owner_id: null },
      ...{ archived_at: null, created_at: at, updated_at: at },
    };
    const siblings = [{ name: 's', run, env, port: null, ready: null }];
    expect(agent.parse(row)).toEqual({ ...row, siblings });
  });
});
