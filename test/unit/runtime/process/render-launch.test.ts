import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bridgeConfig } from '../../../../contract/remote-server.ts';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import { sessionDirectories, tokenSocket } from '../../../../contract/session-paths.ts';
import { sidecarBoot } from '../../../../contract/sidecar.ts';
import {
  type Machine,
  renderAgentConfig,
  renderLaunch,
  renderWorkload,
} from '../../../../runtime/process/render-launch.ts';
import type { LaunchSecrets } from '../../../../runtime/workload.ts';
import { hostSocketName } from '../../../../runtime/workload-plan/workload-plan.ts';
import { configuration, remoteNamed, serverNamed, sessionId } from '../../../support/frozen-configuration.ts';
import { testEndpoints } from '../../../support/model-endpoints.ts';
import { checkProperty } from '../../../support/property.ts';
import { sandboxedMachine as sandboxed } from '../../../support/sandboxed-machine.ts';

const directory = `/data/sessions/${sessionId}`;
const bare: Machine = { ...sandboxed, root: null, internet: false };
const secrets: LaunchSecrets = {
  agentEnv: { GREETING: 'hello' },
  serverEnv: { files: { API_TOKEN: 'of-files' }, db: { API_TOKEN: 'of-db' } },
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: 'the-token', control_key: 'the-key' },
};
const spec = renderWorkload(
  configuration({ servers: [serverNamed('files', { network: 'internet' }), serverNamed('db')] }),
  {
    sandbox: true,
    seededCommands: null,
    internet: true,
    claude: false,
    privateHosts: new Map(),
    modelEndpoints: testEndpoints(),
  },
);
const launchOn = (machine: Machine, given = secrets) => renderLaunch(spec, given, { machine, directory });
const containerOf = (machine: Machine, name: string, given = secrets) => {
  const found = launchOn(machine, given).containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
};

describe('the launch of a session', () => {
  it.each([
    ['sandboxed', sandboxed],
    ['bare', bare],
  ])('reaches its host and the sidecar as it was rendered: %s', (_, machine) => {
    const launch = launchOn(machine);
    expect(JSON.parse(JSON.stringify(launch))).toStrictEqual(launch);
    expect(sidecarBoot.parse(launch.boot)).toStrictEqual(launch.boot);
  });

  it('gives each container its own variables only', () => {
    expect(containerOf(sandboxed, 'agent').env).toEqual({
      PATH: '/opt/runner/node_modules/.bin:/usr/bin:/usr/local/bin:/bin',
      HOME: '/workspace',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      GREETING: 'hello',
      npm_config_offline: 'true',
      UV_OFFLINE: '1',
      PIP_NO_INDEX: '1',
      PLATFORM_SESSION_ID: sessionId,
      PLATFORM_CONFIG: '/run/platform/agent/config.json',
      PLATFORM_SIDECAR_SOCKET: '/run/platform/agent/sidecar.sock',
    });
    expect(containerOf(sandboxed, 'mcp-files').env).toMatchObject({ API_TOKEN: 'of-files' });
    expect(containerOf(sandboxed, 'mcp-db').env).toMatchObject({ API_TOKEN: 'of-db' });
    expect(Object.keys(containerOf(sandboxed, 'mcp-db').env)).not.toContain('PLATFORM_CONFIG');
  });

  it('passes package registries and trusted certificates to containers with the internet', () => {
    const packages = {
      npmRegistryUrl: 'https://npm.example.com/',
      pypiIndexUrl: 'https://pypi.example.com/simple',
      caFile: '/etc/operator/ca.pem',
    };
    const machine = { ...sandboxed, packages };
    const [with_, without] = (['internet', 'none'] as const).map((network) => {
      const spec = renderWorkload(
        configuration({ agent: { network }, servers: [serverNamed('files', { network: 'none' })] }),
        {
          sandbox: true,
          seededCommands: null,
          internet: true,
          claude: false,
          privateHosts: new Map(),
          modelEndpoints: testEndpoints(),
        },
      );
      return renderLaunch(spec, secrets, { machine, directory }).containers.find(
        ({ name }) => name === 'agent',
      );
    });
    expect(with_?.env).toMatchObject({
      npm_config_registry: packages.npmRegistryUrl,
      UV_DEFAULT_INDEX: packages.pypiIndexUrl,
      NODE_EXTRA_CA_CERTS: '/etc/ssl/operator-ca.pem',
    });
    expect(with_?.sandbox?.join(' ')).toContain('--ro-bind /etc/operator/ca.pem /etc/ssl/operator-ca.pem');
    expect(Object.keys(without?.env ?? {})).not.toContain('npm_config_registry');
    expect(without?.sandbox).not.toContain(packages.caFile);
  });

  it('prevents a configuration from overriding the platform’s variables of the agent', () => {
    const forged = { ...secrets, agentEnv: { PLATFORM_SIDECAR_SOCKET: '/tmp/mine.sock' } };
    expect(containerOf(sandboxed, 'agent', forged).env).toMatchObject({
      PLATFORM_SIDECAR_SOCKET: '/run/platform/agent/sidecar.sock',
    });
  });

  it('puts no secret into a command, a mount or a path', () => {
    const value = fc.string({ minLength: 8 }).map((text) => `secret:${text}`);
    checkProperty(
      fc.property(value, value, value, value, fc.boolean(), (forAgent, forServer, token, key, isBare) => {
        const launch = launchOn(isBare ? bare : sandboxed, {
          agentEnv: { MINE: forAgent },
          serverEnv: { files: { API_TOKEN: forServer } },
          siblingEnv: {},
          registryCredentials: {},
          sidecar: { internal_token: token, control_key: key },
        });
        const visible = [
          launch.directory,
          ...launch.sockets,
          ...launch.containers.flatMap(({ name, argv, cwd, sandbox }) => [
            name,
            ...argv,
            cwd,
            ...(sandbox ?? []),
          ]),
        ].join('\n');
        for (const secret of [forAgent, forServer, token, key]) {
          expect(visible).not.toContain(secret);
        }
      }),
    );
  });

  it('starts a server through the relay to its own socket', () => {
    expect(containerOf(sandboxed, 'mcp-files').argv).toEqual([
      '/opt/platform/bin/relay',
      '--report-end',
      '/run/platform/mcp/.report.sock',
      'UNIX-CONNECT:/run/platform/mcp/files.sock',
      '--',
      'mcp-server-everything',
    ]);
    expect(containerOf(bare, 'mcp-files')).toMatchObject({
      argv: [
        '/app/dist/relay',
        '--report-end',
        '../../servers/files/.report.sock',
        'UNIX-CONNECT:../../servers/files/files.sock',
        '--',
        'mcp-server-everything',
      ],
      sandbox: null,
    });
  });

  it('starts a server through the relay for Node where there is no static one', () => {
    const options = (machine: Machine) =>
      containerOf({ ...machine, programs: { ...machine.programs, relay: null } }, 'mcp-files').argv.slice(
        0,
        3,
      );
    expect(options(sandboxed)).toEqual(['/opt/platform/bin/relay', '--alone', '--report']);
    expect(options(bare)).toEqual([`${directory}/etc/relay`, '--report', '../../servers/files/.report.sock']);
  });

  it('removes the network of every container if the internet is not safe', () => {
    const networks = (machine: Machine) => launchOn(machine).containers.map(({ network }) => network);
    expect(networks(sandboxed)).toEqual(['none', 'internet', 'none']);
    const offline = { ...sandboxed, internet: false };
    expect(networks(offline)).toEqual(['none', 'none', 'none']);
    expect(containerOf(offline, 'mcp-files').sandbox).toContain('--unshare-net');
  });

  it('waits for every socket of the session before anything may connect', () => {
    expect(launchOn(sandboxed).sockets).toEqual([
      `${directory}/agent/agent/sidecar.sock`,
      `${directory}/agent/mcp/platform.sock`,
      `${directory}/reports/agent/.report.sock`,
      `${directory}/servers/files/.report.sock`,
      `${directory}/servers/db/.report.sock`,
      `${directory}/agent/mcp/files.sock`,
      `${directory}/servers/files/files.sock`,
      `${directory}/agent/mcp/db.sock`,
      `${directory}/servers/db/db.sock`,
    ]);
    expect(launchOn(sandboxed).agentSocket).toBeNull();
  });
});

describe('the launch of siblings', () => {
  const db = {
    name: 'my-db',
    run: { type: 'command' as const, command: 'postgres', args: ['-D', '/workspace/data'] },
    image: null,
    env: { KEY: { kind: 'secret' as const, secret_name: 'K', secret_version: 1 } },
    port: 5432,
    ready: { type: 'command' as const, command: 'pg_isready', args: ['-q'], timeout_seconds: 30 },
  };
  const web = { name: 'web', run: db.run, image: null, env: {}, port: 8080 };
  const rules = {
    sandbox: true,
    seededCommands: null,
    internet: true,
    privateHosts: new Map(),
    claude: false,
    modelEndpoints: testEndpoints(),
  };
  const launched = (siblings: FrozenConfiguration['siblings'], machine: Machine = sandboxed) =>
    renderLaunch(
      renderWorkload(configuration({ siblings }), rules),
      { ...secrets, agentEnv: {}, serverEnv: {}, siblingEnv: { 'my-db': { KEY: 'value of K' } } },
      { machine, directory },
    );
  const named = (launch: ReturnType<typeof launched>, name: string) =>
    launch.containers.find((each) => each.name === name);

  it('has each behind the relay, with a user, limits and sockets of its own and with its secrets', () => {
    const launch = launched([db, web]);
    expect(named(launch, 'sibling-my-db')).toMatchObject({
      kind: 'sibling',
      argv: [
        ...['/opt/platform/bin/relay', 'run', '--report-end', '/run/platform-report/.report.sock'],
        ...['--dial', '/run/platform-report/.agent.sock', '--port', '5432'],
        ...['--ready-argument', 'pg_isready', '--ready-argument', '-q'],
        ...['--', 'postgres', '-D', '/workspace/data'],
      ],
      env: { KEY: 'value of K' },
      network: 'none',
      secretVariables: ['KEY'],
      reportSocket: 'reports/sibling-my-db/.report.sock',
    });
    expect(named(launch, 'sibling-web')?.env).not.toHaveProperty('KEY');
    const sandbox = named(launch, 'sibling-my-db')?.sandbox ?? [];
    expect(sandbox).toEqual(expect.arrayContaining(['--uid', '2001', '--unshare-net']));
    expect(sandbox).toContain(`${directory}/reports/sibling-my-db`);
    expect(sandbox).not.toContain(`${directory}/agent`);
  });

  it('has the agent reach them by sockets and on its own loopback, by name', () => {
    const agent = named(launched([db, web]), 'agent');
    expect(agent?.argv.slice(0, 7)).toEqual([
      ...['/opt/platform/bin/relay', 'run', '--listen', '5432=/run/platform/siblings/my-db.sock'],
      ...['--listen', '8080=/run/platform/siblings/web.sock', '--'],
    ]);
    expect(agent?.env).toMatchObject({
      SIBLING_MY_DB_SOCKET: '/run/platform/siblings/my-db.sock',
      SIBLING_MY_DB_ADDRESS: '127.0.0.1:5432',
      SIBLING_WEB_ADDRESS: '127.0.0.1:8080',
    });
    const { port: _, ...unreached } = web;
    const alone = named(launched([unreached]), 'agent');
    expect(alone?.argv[0]).not.toContain('relay');
    expect(Object.keys(alone?.env ?? {}).filter((name) => name.startsWith('SIBLING'))).toEqual([]);
  });

  it('starts the agent when those are ready that it waits for, and everything else before', () => {
    const socket = `${directory}/agent/agent/sidecar.sock`;
    const launch = launched([db, web]);
    expect(launch.agentSocket).toBe(socket);
    expect(launch.sockets).not.toContain(socket);
    expect(launch.sockets).toEqual(
      expect.arrayContaining([
        `${directory}/agent/siblings/my-db.sock`,
        `${directory}/reports/sibling-my-db/.agent.sock`,
        `${directory}/reports/sibling-my-db/.report.sock`,
      ]),
    );
    expect(launch.boot).toMatchObject({
      siblings: ['my-db', 'web'],
      sibling_access: [
        { name: 'my-db', listens: true, ready_seconds: 30 },
        { name: 'web', listens: true, ready_seconds: null },
      ],
    });
    expect(launched([web])).toMatchObject({ agentSocket: null });
    expect(launched([]).boot).toMatchObject({ siblings: [], sibling_access: [] });
  });
});

describe('the launch of a remote server', () => {
  const remote = (changes: Parameters<typeof remoteNamed>[1], privateHosts = new Map<string, 'http'>()) => {
    const servers = [remoteNamed('far', changes), serverNamed('near')];
    const rules = {
      sandbox: true,
      seededCommands: null,
      internet: true,
      claude: false,
      privateHosts,
      modelEndpoints: testEndpoints(),
    };
    const rendered = renderWorkload(configuration({ servers }), rules);
    return renderLaunch(
      rendered,
      { ...secrets, serverEnv: { far: { KEY: 'the-key-of-far' } } },
      { machine: sandboxed, directory },
    );
  };
  const url = 'http://127.0.0.1:9000/mcp';
  const listed = new Map([['127.0.0.1:9000', 'http' as const]]);
  const keyed = {
    shape: { type: 'remote' as const, url, headers: [{ name: 'x-key', prefix: '', variable: 'KEY' }] },
    env: { KEY: { kind: 'secret' as const, secret_name: 'FAR_KEY', secret_version: 1 } },
    sign_in: 'headers' as const,
  };

  it('runs the bridge behind the relay, with the variables of its headers in its environment alone', () => {
    const { containers } = remote(keyed);
    const far = containers[1];
    expect(far?.argv).toEqual([
      '/opt/platform/bin/relay',
      '--report-end',
      '/run/platform/mcp/.report.sock',
      'UNIX-CONNECT:/run/platform/mcp/far.sock',
      '--',
      '/usr/bin/node',
      '/opt/platform/remote-bridge.js',
      JSON.stringify({ url, headers: keyed.shape.headers, private_hosts: {}, token_socket: null }),
    ]);
    expect(far).toMatchObject({
      env: { KEY: 'the-key-of-far' },
      secretVariables: ['KEY'],
      network: 'internet',
      privateHost: null,
    });
    expect(JSON.stringify([far?.argv, far?.sandbox])).not.toContain('the-key-of-far');
    expect(bridgeConfig.parse(JSON.parse(far?.argv.at(-1) ?? ''))).toMatchObject({ url });
  });

  it('shows it its own directory, Node and its one program, and no runner', () => {
    const { containers } = remote({});
    const sandbox = containers[1]?.sandbox?.join(' ') ?? '';
    expect(sandbox).toContain('--ro-bind /app/dist/remote-bridge.js /opt/platform/remote-bridge.js');
    expect(sandbox).toContain(`--ro-bind ${directory}/servers/far /run/platform/mcp`);
    expect(sandbox).not.toContain('/opt/runner');
    expect(containers.filter((each) => each.sandbox?.join(' ').includes('remote-bridge'))).toHaveLength(1);
  });

  it('waits for the socket for access tokens of one that signs in as the operator', () => {
    expect(remote({ sign_in: 'oauth' }).sockets).toContain(`${directory}/servers/far/.token.sock`);
    expect(remote({}).sockets.filter((path) => path.includes('.token.sock'))).toEqual([]);
    expect(remote({ sign_in: 'oauth' }).boot.servers.map((each) => each.access_tokens)).toEqual([
      true,
      false,
    ]);
  });

  it('forwards to its host from its own directory, where the operator listed it', () => {
    expect(
      remote({ shape: { type: 'remote', url } }, listed).containers.map((each) => each.privateHost),
    ).toEqual([null, { socket: 'servers/far/.host.sock', origin: 'http://127.0.0.1:9000' }, null]);
  });

  it('names its sockets so that they fit a socket address, however long its name is', () => {
    const name = 'a-server-with-a-name-of-32-chars';
    for (const path of [tokenSocket(name), `${sessionDirectories.server(name)}/${hostSocketName}`]) {
      expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103);
    }
  });
});

describe('the configuration file of the agent', () => {
  it('is the common map of servers, each behind a relay with an empty environment', () => {
    expect(renderAgentConfig(spec, { machine: sandboxed, directory })).toEqual({
      ...spec.agent,
      mcpServers: Object.fromEntries(
        ['platform', 'files', 'db'].map((name) => [
          name,
          {
            command: '/opt/platform/bin/relay',
            args: ['-', `UNIX-CONNECT:/run/platform/mcp/${name}.sock`],
            env: {},
          },
        ]),
      ),
    });
  });

  it('has socket paths relative to its working directory without a sandbox', () => {
    expect(renderAgentConfig(spec, { machine: bare, directory })?.mcpServers['platform']).toEqual({
      command: '/app/dist/relay',
      args: ['-', 'UNIX-CONNECT:../../agent/mcp/platform.sock'],
      env: {},
    });
  });
});
