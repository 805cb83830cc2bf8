import { describe, expect, it } from '@jest/globals';
import { launchProblems } from '../../../../activities/sessions/validate-launch.ts';
import { runPattern } from '../../../../contract/run-pattern.mjs';
import { configuration, remoteNamed, serverNamed } from '../../../support/frozen-configuration.ts';

const facts = {
  secrets: new Map(),
  exposedSecrets: new Set<string>(),
  judge: runPattern,
  modelKeys: new Set<string>(),
  hasOperator: true,
  isChild: false,
};
const plain = { kind: 'value', value: 'x' } as const;
const run = { type: 'builtin', name: 'scripted' } as const;

const token = { kind: 'secret', secret_name: 'G', secret_version: 1 } as const;

describe('a server that may not have what it is configured with', () => {
  const fields = { TOKEN: { kind: 'secret', label: 't' } } as const;
  const files = serverNamed('files', { env: { TOKEN: token }, manifest_env: fields });
  const problems = (server: typeof files, secrets = {}) =>
    launchProblems(configuration({ servers: [server] }), {
      ...facts,
      secrets: new Map(Object.entries(secrets)),
    });

  it('is told so in sentences about the variable', () => {
    const start = 'attachment "files": variable TOKEN';
    expect(problems(files)).toEqual([`${start} needs secret G, which is not set`]);
    expect(problems(files, { G: { is_set: true, allowed_servers: ['other'] } })).toEqual([
      `${start} needs secret G, which may not be given to "files"`,
    ]);
    expect(problems(files, { G: { is_set: true, allowed_servers: ['files'] } })).toEqual([]);
    expect(problems({ ...files, manifest_env: {} })).toEqual([`${start} is not declared by the manifest`]);
  });

  it('also for the secret of its registry', () => {
    const image = { ...files, env: {}, registry_credentials: token };
    const start = 'the image of "files": variable registry_secret needs secret G, which';
    expect(problems(image)).toEqual([`${start} is not set`]);
    expect(problems(image, { G: { is_set: true, allowed_servers: [] } })).toEqual([
      `${start} may not be given to "files"`,
    ]);
  });
});

describe('an agent from before a variable was reserved', () => {
  it('is not started, and neither are its siblings, with a sentence that names the variable', () => {
    const env = { PYTHONHOME: plain, npm_config_registry: plain };
    const siblings = [{ name: 'helper', run, image: null, env: { RUBYOPT: plain } }];
    expect(launchProblems(configuration({ agent: { env }, siblings }), facts)).toEqual([
      "the agent's environment: variable PYTHONHOME decides which code a program loads; it may not be set",
      'sibling "helper": variable RUBYOPT decides which code a program loads; it may not be set',
    ]);
  });
});

it('a remote server is refused for a child, whoever attached it and whether anybody signs in to it', () => {
  for (const kind of ['worker', 'orchestrator'] as const) {
    for (const sign_in of ['none', 'oauth'] as const) {
      const frozen = configuration({ agent: { kind }, servers: [remoteNamed('notes', { sign_in })] });
      expect(launchProblems(frozen, { ...facts, hasOperator: false, isChild: true })).toEqual([
        '"notes" is a remote server, which acts as the person who drives a session: nobody drives one that another session started',
      ]);
    }
  }
});

describe('a remote server that people sign in to', () => {
  const shape = { type: 'remote', url: 'https://notes.test/mcp' } as const;
  const server = (sign_in: 'oauth' | 'headers') =>
    configuration({ servers: [remoteNamed('notes', { shape, sign_in })] });

  it('is used in sessions that somebody drives alone', () => {
    expect(launchProblems(server('oauth'), facts)).toEqual([]);
    expect(launchProblems(server('headers'), { ...facts, hasOperator: false })).toEqual([]);
    expect(launchProblems(server('oauth'), { ...facts, hasOperator: false })).toEqual([
      '"notes" is used by the person who drives a session, and nobody drives this one',
    ]);
  });
});
