import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sidecarBoot } from '../../../../contract/sidecar.ts';
import { type Machine, renderAgentConfig, renderLaunch } from '../../../../runtime/process/render-launch.ts';
import { renderWorkload } from '../../../../runtime/process/render-workload.ts';
import type { LaunchSecrets } from '../../../../runtime/workload.ts';
import { configuration, serverNamed, sessionId } from '../../../support/frozen-configuration.ts';
import { processLimits, publicPackages } from '../../../support/process-limits.ts';
import { roomySidecarLimits } from '../../../support/sidecar-limits.ts';

const directory = `/data/sessions/${sessionId}`;
const sandboxed: Machine = {
  programs: { nodePrefix: '/usr', directory: '/app/dist', relay: '/app/dist/relay', runner: '/app/runner' },
  root: { links: {}, directories: [], hidden: [], hiddenFiles: [] },
  internet: true,
  limits: processLimits,
  packages: publicPackages,
  cgroups: null,
  owner: 'owner',
  apiUrl: 'http://127.0.0.1:8080',
  auditSync: 'within-100-ms',
  sidecarLimits: roomySidecarLimits,
};
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
  { seededCommands: null, internet: true },
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
        { seededCommands: null, internet: true },
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
    fc.assert(
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
      `${directory}/reports/agent/.report.sock`,
      `${directory}/agent/mcp/platform.sock`,
      `${directory}/agent/mcp/files.sock`,
      `${directory}/servers/files/files.sock`,
      `${directory}/servers/files/.report.sock`,
      `${directory}/agent/mcp/db.sock`,
      `${directory}/servers/db/db.sock`,
      `${directory}/servers/db/.report.sock`,
    ]);
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
    expect(renderAgentConfig(spec, { machine: bare, directory }).mcpServers['platform']).toEqual({
      command: '/app/dist/relay',
      args: ['-', 'UNIX-CONNECT:../../agent/mcp/platform.sock'],
      env: {},
    });
  });
});
