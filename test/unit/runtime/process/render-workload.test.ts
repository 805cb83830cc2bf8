import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import { type RenderRules, renderWorkload } from '../../../../runtime/process/render-launch.ts';
import { secretVariables } from '../../../../runtime/variables.ts';
import { configuration, remoteNamed, serverNamed, sessionId } from '../../../support/frozen-configuration.ts';
import { testEndpoints } from '../../../support/model-endpoints.ts';
import { checkProperty } from '../../../support/property.ts';

const sandboxed: RenderRules = {
  sandbox: true,
  seededCommands: null,
  internet: true,
  claude: false,
  privateHosts: new Map(),
  modelEndpoints: testEndpoints(),
};
const offline: RenderRules = { ...sandboxed, internet: false };
const bare: RenderRules = {
  ...sandboxed,
  sandbox: false,
  seededCommands: new Set(['mcp-server-everything']),
};
/** An operator lets everything run without a sandbox. */
const overridden: RenderRules = { ...bare, seededCommands: null };
const refusal = (frozen: FrozenConfiguration, rules = sandboxed) => {
  try {
    renderWorkload(frozen, rules);
  } catch (error) {
    return error;
  }
  return 'it was rendered';
};

describe('a frozen configuration as containers', () => {
  it('is one container for the agent and one for each server, in order', () => {
    const spec = renderWorkload(
      configuration({
        servers: [
          serverNamed('files', { network: 'internet', client_features: ['roots'] }),
          serverNamed('db'),
        ],
      }),
      sandboxed,
    );
    expect(spec).toMatchObject({
      sessionId,
      agent: { session_id: sessionId, prompt: 'do it', agent: { name: 'tester' } },
      servers: [
        { name: 'files', tool_scopes: { write_file: 'files.write' }, client_features: ['roots'] },
        { name: 'db', tool_scopes: { write_file: 'files.write' }, client_features: [] },
      ],
    });
    expect(
      spec.containers.map(({ name, role, subject, network }) => ({ name, role, subject, network })),
    ).toEqual([
      { name: 'agent', role: 'agent', subject: null, network: 'none' },
      { name: 'mcp-files', role: 'server', subject: 'files', network: 'internet' },
      { name: 'mcp-db', role: 'server', subject: 'db', network: 'none' },
    ]);
  });

  it('gives every container a user id of its own, and none is root', () => {
    checkProperty(
      fc.property(fc.integer({ min: 0, max: 32 }), (count) => {
        const servers = Array.from({ length: count }, (_, index) => serverNamed(`s${index}`));
        const uids = renderWorkload(configuration({ servers }), sandboxed).containers.map(({ uid }) => uid);
        expect(new Set(uids).size).toBe(count + 1);
        expect(Math.min(...uids)).toBeGreaterThanOrEqual(1000);
      }),
    );
  });

  it('carries no variable of any container, not even as a reference', () => {
    const env = { TOKEN: { kind: 'secret' as const, secret_name: 'THE_TOKEN', secret_version: 3 } };
    const spec = renderWorkload(
      configuration({ agent: { env }, servers: [serverNamed('files', { env })] }),
      sandboxed,
    );
    // The names of variables whose values are redacted, but not the names of their secrets.
    expect(spec.containers.map(({ env }) => secretVariables(env))).toEqual([['TOKEN'], ['TOKEN']]);
    expect(JSON.stringify(spec)).not.toContain('THE_TOKEN');
  });
});

it('runs the agent claude where what it loads is installed', () => {
  const frozen = configuration({ agent: { run: { type: 'builtin', name: 'claude' } } });
  expect(renderWorkload(frozen, { ...sandboxed, claude: true }).containers[0]).toMatchObject({
    program: { type: 'claude' },
  });
});

describe('a remote server', () => {
  const programOf = (
    changes: Parameters<typeof remoteNamed>[1],
    privateHosts: RenderRules['privateHosts'] = new Map(),
  ) => {
    const frozen = configuration({ servers: [remoteNamed('far', changes)] });
    const server = renderWorkload(frozen, { ...sandboxed, privateHosts }).containers[1];
    return { ...server?.program, privateOrigin: server?.privateOrigin };
  };

  it('is the bridge, which is told its URL and headers, and where to ask for tokens', () => {
    const headers = [{ name: 'x-key', prefix: 'Key ', variable: 'KEY' }];
    const url = 'https://far.test/mcp';
    expect(programOf({ shape: { type: 'remote', url, headers }, sign_in: 'headers' })).toEqual({
      type: 'remote',
      bridge: { url, headers, private_hosts: {}, token_socket: null },
      privateOrigin: null,
    });
    expect(programOf({ sign_in: 'oauth' })).toMatchObject({
      bridge: { token_socket: '/run/platform/mcp/.token.sock' },
    });
  });

  it('reaches its own host at a private address through the session’s host, where the operator listed it', () => {
    const shape = { type: 'remote' as const, url: 'http://127.0.0.1:9000/mcp' };
    const listed = new Map([
      ['127.0.0.1:9000', 'http' as const],
      ['other.internal', 'https' as const],
    ]);
    expect(programOf({ shape }, listed)).toEqual({
      type: 'remote',
      bridge: {
        url: shape.url,
        headers: [],
        private_hosts: { '127.0.0.1:9000': 'http' },
        token_socket: null,
        host_socket: '/run/platform/mcp/.host.sock',
      },
      privateOrigin: 'http://127.0.0.1:9000',
    });
    expect(programOf({}, listed)).toMatchObject({ bridge: { private_hosts: {} }, privateOrigin: null });
  });
});

describe('what the process runtime cannot run', () => {
  const sibling = {
    name: 'db',
    run: { type: 'command' as const, command: 'x', args: [] },
    image: null,
    env: {},
  };

  it.each<[string, FrozenConfiguration, RegExp]>([
    [
      'an agent that is an image',
      configuration({ agent: { run: { type: 'image', image: 'a:1' } } }),
      /^images need a container engine/,
    ],
    [
      'the claude agent',
      configuration({ agent: { run: { type: 'builtin', name: 'claude' } } }),
      /^the built-in agent "claude" is not installed .* "npm run claude:install"/,
    ],
    [
      'a server that is an image',
      configuration({ servers: [serverNamed('boxed', { shape: { type: 'image', image: 'a:1' } })] }),
      /"boxed": images need a container engine/,
    ],
    [
      'a sibling that is an image',
      configuration({ siblings: [{ ...sibling, run: { type: 'image', image: 'a:1' } }] }),
      /^its sibling "db": images need a container engine/,
    ],
    [
      'a service that is an image',
      configuration({ services: [{ ...sibling, run: { type: 'image', image: 'a:1' } }] }),
      /^its service "db": images need a container engine/,
    ],
    [
      'an agent with private destinations',
      configuration({ agent: { egress_allow: ['10.1.1.1:5432'] } }),
      /^private destinations can be opened only/,
    ],
    [
      'a server with private destinations',
      configuration({ servers: [serverNamed('files', { egress_allow: ['10.1.1.1:5432'] })] }),
      /"files": private destinations can be opened only/,
    ],
  ])('%s is refused in the words that people read at save', (_, frozen, sentence) => {
    expect(refusal(frozen)).toMatchObject({
      name: 'UnsupportedWorkloadError',
      message: expect.stringMatching(sentence),
    });
  });
});

describe('without safe access to the internet', () => {
  it.each([
    ['an agent', configuration({ agent: { network: 'internet' } }), /^there is no way/],
    [
      'a server',
      configuration({ servers: [serverNamed('far', { network: 'internet' })] }),
      /"far": there is no way/,
    ],
    ['a remote server', configuration({ servers: [remoteNamed('far')] }), /"far": there is no way/],
  ])('%s that needs it is refused, and not started without it', (_, frozen, sentence) => {
    const message = expect.stringMatching(sentence);
    expect(refusal(frozen, offline)).toMatchObject({ name: 'UnsupportedWorkloadError', message });
    expect(refusal(frozen)).toBe('it was rendered');
    expect(refusal(configuration({ servers: [serverNamed('near')] }), offline)).toBe('it was rendered');
  });
});

describe('without a sandbox', () => {
  const command = configuration({ agent: { run: { type: 'command', command: 'sh', args: [] } } });
  const unknown = configuration({
    servers: [serverNamed('odd', { shape: { type: 'command', command: 'sh', args: [] } })],
  });

  it('the scripted agent and seeded servers run, and nothing else', () => {
    expect(refusal(configuration({ servers: [serverNamed('files')] }), bare)).toBe('it was rendered');
    expect(refusal(command, bare)).toMatchObject({
      message: expect.stringMatching(/^there is no sandbox/),
    });
    expect(refusal(unknown, bare)).toMatchObject({
      message: expect.stringMatching(/"odd": there is no sandbox/),
    });
  });

  it('everything runs if configured', () => {
    expect(refusal(command, overridden)).toBe('it was rendered');
    expect(refusal(unknown, overridden)).toBe('it was rendered');
  });

  it('no remote server runs, even then: others could ask for its tokens', () => {
    for (const rules of [bare, overridden]) {
      expect(refusal(configuration({ servers: [remoteNamed('far')] }), rules)).toMatchObject({
        message: expect.stringMatching(/"far": remote MCP servers need a sandbox/),
      });
    }
  });
});
