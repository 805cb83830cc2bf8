import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FrozenConfiguration, FrozenServer } from '../../../../contract/session.ts';
import type { ContainerSettings } from '../../../../runtime/container-workload/container-settings.ts';
import type {
  ContainerSpec,
  ContainerWorkload,
} from '../../../../runtime/container-workload/container-workload.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { configuration, serverNamed, sessionId } from '../../../support/frozen-configuration.ts';
import { checkProperty } from '../../../support/property.ts';
import { randomLaunch, testContainerSettings } from '../../../support/random-configurations.ts';
import { commandOf, violations } from './isolation.ts';

type Networks = ContainerSettings['networks'];
const render = (frozen: FrozenConfiguration, networks: Networks = 'shared') => ({
  ...renderContainerWorkload(frozen, { ...testContainerSettings, networks }),
  networks,
});
function named(workload: Pick<ContainerWorkload, 'containers'>, name: string): ContainerSpec {
  const found = workload.containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
}
const variablesOf = (workload: ContainerWorkload, name: string) =>
  Object.fromEntries(
    named(workload, name).env.map((each) => [each.name, 'value' in each ? each.value : null]),
  );

const digest = `sha256:${'0a'.repeat(32)}`;
const secret = { kind: 'secret' as const, secret_name: 'THE_SECRET', secret_version: 3 };
const imageServer = (name: string, changes: Partial<FrozenServer> = {}) =>
  serverNamed(name, {
    shape: { type: 'image', image: 'registry.example:5000/team/files:1' },
    image_digest: digest,
    image_command: ['/bin/files', '--stdio'],
    image_volumes: [],
    ...changes,
  });
const sibling = {
  name: 'db',
  run: { type: 'command' as const, command: 'db', args: ['-x'] },
  image: null,
  env: {},
};

describe('any configuration in containers', () => {
  it.each<Networks>(['shared', 'own'])(
    'follows every rule of isolation with a network that is %s',
    (networks) => {
      checkProperty(
        fc.property(randomLaunch, ({ configuration: frozen }) => {
          expect(violations(render(frozen, networks), frozen)).toEqual([]);
        }),
        { runs: 500 },
      );
    },
  );

  it('runs exactly the configured command behind the relay, and an image at its frozen digest', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        const workload = render(frozen);
        for (const server of frozen.servers) {
          const { name, shape } = server;
          const { argv, image } = named(workload, `mcp-${name}`);
          expect(argv.slice(argv.indexOf('--') + 1)).toEqual(commandOf(server));
          expect(argv.slice(0, argv.indexOf('--')).at(-1)).toBe(
            `UNIX-CONNECT:/run/platform/mcp/${name}.sock`,
          );
          expect(/@sha256:[0-9a-f]{64}$/.test(image.reference)).toBe(shape.type === 'image');
        }
      }),
      { runs: 300 },
    );
  });

  it('has a separate directory for each server, created before the server starts', () => {
    checkProperty(
      fc.property(randomLaunch, ({ configuration: frozen }) => {
        const { containers, directories } = render(frozen);
        const made = (directory: string) =>
          directory === 'bin' ||
          directories.some((each) => each === directory || each.startsWith(`${directory}/`));
        expect(containers.flatMap(({ views }) => views).filter((view) => !made(view.directory))).toEqual([]);
      }),
    );
  });
});

describe('the rules that the renderer is tested with', () => {
  const frozen = configuration({
    agent: { env: { KEY: secret } },
    servers: [
      imageServer('files', { env: { TOKEN: secret }, registry_credentials: secret }),
      serverNamed('web', { network: 'internet' }),
    ],
    siblings: [sibling],
  });
  const changed = (name: string, change: (container: ContainerSpec) => unknown, networks?: Networks) => {
    const workload = structuredClone(render(frozen, networks));
    change(named(workload, name));
    return workload;
  };
  const viewed = (name: string, directory: string, path = '/more') =>
    changed(name, ({ views }) => views.push({ directory, path }));
  const assigned = (name: string, values: Partial<ContainerSpec>) =>
    changed(name, (container) => Object.assign(container, values));
  const withoutOption =
    (option: string) =>
    ({ argv }: ContainerSpec) =>
      argv.splice(argv.indexOf(option), 2);
  const withoutNetwork = withoutOption('--network');

  it.each<[string, () => ReturnType<typeof render>]>([
    [
      'a server’s secret in the agent',
      () => changed('agent', ({ env }) => env.push({ name: 'TOKEN', isSecret: true })),
    ],
    [
      'the agent’s secret in a server',
      () => changed('mcp-web', ({ env }) => env.push({ name: 'KEY', isSecret: true })),
    ],
    ['a secret that became a value', () => assigned('mcp-files', { env: [{ name: 'TOKEN', value: 'v' }] })],
    [
      'a secret’s own name',
      () => changed('agent', ({ env }) => Object.assign(env[1] ?? {}, { secret_name: 'X' })),
    ],
    [
      'credentials of another image',
      () => changed('mcp-web', ({ image }) => Object.assign(image, { credentialsOf: 'files' })),
    ],
    ['a shared network that is not narrowed', () => changed('mcp-files', withoutNetwork)],
    ['an own network without a network policy', () => changed('mcp-web', withoutNetwork, 'own')],
    [
      'files of any size',
      () => changed('sibling-db', ({ argv }) => argv.splice(argv.indexOf('--file-size'), 2)),
    ],
    ['a command without the relay', () => assigned('agent', { argv: ['node', 'agent.js'] })],
    [
      'no command',
      () => assigned('agent', { argv: ['/opt/platform/bin/relay', 'run', '--network', 'none', '--'] }),
    ],
    ['unlimited memory', () => assigned('sibling-db', { size: { memoryBytes: 0, cpuMillis: 1 } })],
    ['an unlimited processor', () => assigned('sidecar', { size: { memoryBytes: 1, cpuMillis: 0 } })],
    [
      'a room without a limit',
      () => assigned('agent', { scratch: [{ name: 'tmp', path: '/tmp', sizeBytes: 0 }] }),
    ],
    [
      'another writable path',
      () => assigned('agent', { scratch: [{ name: 'run', path: '/run', sizeBytes: 1 }] }),
    ],
    ['root', () => assigned('agent', { uid: 0 })],
    ['the sidecar’s user', () => assigned('agent', { uid: 10_001 })],
    ['another’s sockets', () => viewed('mcp-web', 'servers/files')],
    ['the agent’s sockets in a sibling', () => viewed('sibling-db', 'agent')],
    ['the report socket of a server in another', () => viewed('mcp-web', 'servers/files', '/reports')],
    ['the report socket of the agent in a sibling', () => viewed('sibling-db', 'reports/agent')],
    ['all report sockets', () => viewed('agent', 'reports')],
    ['output that goes past the relay', () => changed('mcp-web', withoutOption('--report'))],
    ['a secret that is not redacted', () => changed('mcp-files', withoutOption('--secret'))],
    ['the whole volume', () => viewed('agent', '')],
    ['the boot file', () => viewed('agent', 'bin', '/run/platform-boot')],
    [
      'the API’s address',
      () => changed('agent', ({ env }) => env.push({ name: 'API', value: testContainerSettings.apiUrl })),
    ],
    ['the control port', () => changed('agent', ({ argv }) => argv.push('--control_port', '7070'))],
    [
      'another first container',
      () => ({ ...render(frozen), containers: render(frozen).containers.toReversed() }),
    ],
  ])('notice %s', (_, weaker) => {
    expect(violations(render(frozen), frozen)).toEqual([]);
    expect(violations(weaker(), frozen)).not.toEqual([]);
  });
});

describe('a server', () => {
  it('that is an image runs its frozen command at its frozen digest, whatever the tag is now', () => {
    const server = named(render(configuration({ servers: [imageServer('files')] })), 'mcp-files');
    expect(server).toMatchObject({
      image: { reference: `registry.example:5000/team/files@${digest}`, credentialsOf: null },
      workingDirectory: null,
    });
    expect(server.argv).toEqual([
      '/opt/platform/bin/relay',
      '--network',
      'none',
      '--file-size',
      String(testContainerSettings.workspaceBytes),
      '--report',
      '/run/platform/mcp/.report.sock',
      'UNIX-CONNECT:/run/platform/mcp/files.sock',
      '--',
      '/bin/files',
      '--stdio',
    ]);
  });

  it('that is a command runs in the runner’s image', () => {
    expect(named(render(configuration({ servers: [serverNamed('files')] })), 'mcp-files')).toMatchObject({
      image: { reference: 'localhost/runner:1', credentialsOf: null },
      workingDirectory: '/workspace',
    });
  });

  it('is pulled with the credentials of its own entry', () => {
    const workload = render(
      configuration({
        servers: [imageServer('files', { registry_credentials: secret }), imageServer('open')],
      }),
    );
    expect(named(workload, 'mcp-files').image.credentialsOf).toBe('files');
    expect(named(workload, 'mcp-open').image.credentialsOf).toBeNull();
    expect(JSON.stringify(workload)).not.toContain('THE_SECRET');
  });
});

describe('the output of a container', () => {
  const env = { TOKEN: secret, PLAIN: { kind: 'value' as const, value: 'v' }, KEY: secret };

  it('is redacted by the names of its secret variables, and reported on a separate socket', () => {
    const workload = render(
      configuration({
        agent: { env: { ...env, PLATFORM_CONFIG: secret } },
        servers: [serverNamed('files', { env })],
        siblings: [{ ...sibling, env }],
      }),
    );
    const options = (name: string) => named(workload, name).argv.join(' ');
    expect(options('agent')).toContain(
      '--report /run/platform-report/.report.sock --secret KEY --secret TOKEN --wait ',
    );
    expect(options('sibling-db')).toContain(
      '--report /run/platform-report/.report.sock --secret KEY --secret TOKEN --wait /run/platform-report/.report.sock -- db',
    );
    expect(options('mcp-files')).toContain(
      '--report /run/platform/mcp/.report.sock --secret KEY --secret TOKEN UNIX-CONNECT:',
    );
    expect(options('sidecar')).not.toContain('--report');
    expect(workload.directories).toEqual(
      expect.arrayContaining(['servers/files', 'reports/agent', 'reports/sibling-db']),
    );
  });
});

describe('variables that the platform sets', () => {
  it('cannot be changed by the agent’s configuration, neither by a value nor by a secret', () => {
    const env = {
      PLATFORM_SESSION_ID: { kind: 'value' as const, value: 'another' },
      PLATFORM_CONFIG: secret,
      PLATFORM_SIDECAR_SOCKET: secret,
    };
    expect(variablesOf(render(configuration({ agent: { env } })), 'agent')).toMatchObject({
      PLATFORM_SESSION_ID: sessionId,
      PLATFORM_CONFIG: '/run/platform/agent/config.json',
      PLATFORM_SIDECAR_SOCKET: '/run/platform/agent/sidecar.sock',
    });
  });

  it('are set for the agent alone', () => {
    const workload = render(configuration({ servers: [serverNamed('files')], siblings: [sibling] }));
    for (const name of ['sidecar', 'mcp-files', 'sibling-db']) {
      expect(Object.keys(variablesOf(workload, name)).filter((each) => each.startsWith('PLATFORM_'))).toEqual(
        [],
      );
    }
  });

  it('include every server for the agent, behind a relay with an empty environment', () => {
    const { boot } = render(configuration({ servers: [serverNamed('files', { env: { TOKEN: secret } })] }));
    expect(boot.agent_config?.mcpServers).toEqual(
      Object.fromEntries(
        ['platform', 'files'].map((name) => [
          name,
          {
            command: '/opt/platform/bin/relay',
            args: ['-', `UNIX-CONNECT:/run/platform/mcp/${name}.sock`],
            env: {},
          },
        ]),
      ),
    );
  });
});

describe('networks of a session in containers', () => {
  const internet = { network: 'internet' as const };
  it.each([
    ['none', {}, [serverNamed('a')]],
    ['internet', {}, [serverNamed('a'), serverNamed('b', internet)]],
    ['internet', internet, []],
  ] as const)('are the widest that its containers need: %s', (network, agent, servers) => {
    expect(render(configuration({ agent, servers: [...servers] })).network).toBe(network);
  });

  it('give a sibling the agent’s network', () => {
    const workload = render(configuration({ agent: internet, siblings: [sibling] }), 'own');
    expect(named(workload, 'sibling-db').argv).toEqual([
      ...['/opt/platform/bin/relay', 'run', '--network', 'restricted'],
      ...['--file-size', String(testContainerSettings.workspaceBytes)],
      ...['--report', '/run/platform-report/.report.sock'],
      ...['--wait', '/run/platform-report/.report.sock', '--', 'db', '-x'],
    ]);
  });

  it('allow what an admin opened, each once', () => {
    const egress_allow = ['10.1.2.3:5432', 'db.test:1'];
    const workload = render(
      configuration({
        agent: { egress_allow },
        servers: [serverNamed('a', { egress_allow: ['db.test:1'] })],
      }),
    );
    expect(workload.egressAllow).toEqual(egress_allow);
  });
});

describe('the time limit of a session', () => {
  it.each([
    [null, 3600],
    [60, 60],
  ])(
    'is the agent’s limit (%s), else the platform’s, plus some time for an orderly shutdown',
    (total_seconds, seconds) => {
      const limits = { total_seconds, idle_seconds: null };
      expect(render(configuration({ agent: { limits } })).lifetimeSeconds).toBe(seconds + 900);
    },
  );
});

describe('what containers cannot run', () => {
  const image = { type: 'image' as const, image: 'a:1' };
  it.each<[string, FrozenConfiguration, RegExp]>([
    [
      'an agent’s image that was not read',
      configuration({ agent: { run: image } }),
      /the agent: the image a:1 was not read/,
    ],
    [
      'a sibling’s',
      configuration({ siblings: [{ ...sibling, run: image }] }),
      /"db": the image a:1 was not read/,
    ],
    [
      'a server’s image without a digest',
      configuration({ servers: [imageServer('files', { image_digest: null })] }),
      /"files": its image was not read/,
    ],
    [
      'one without a command',
      configuration({ servers: [imageServer('files', { image_command: null })] }),
      /"files": its image was not read/,
    ],
    [
      'one without a list of volumes',
      configuration({ servers: [imageServer('files', { image_volumes: null })] }),
      /"files": its image was not read/,
    ],
    [
      'a volume at a path of the platform’s',
      configuration({ servers: [imageServer('files', { image_volumes: ['/run/platform'] })] }),
      /declares a volume at "\/run\/platform", a path reserved for the platform, or not a valid one/,
    ],
    [
      'a volume where its output is reported',
      configuration({ servers: [imageServer('files', { image_volumes: ['/run/platform-report'] })] }),
      /declares a volume at "\/run\/platform-report", a path reserved for the platform, or not a valid one/,
    ],
    [
      'a service that is the claude agent',
      configuration({ services: [{ ...sibling, run: { type: 'builtin', name: 'claude' } }] }),
      /^its service "db": the built-in agent "claude" is an agent of a session, and nothing beside one/,
    ],
    [
      'a server with the name of the platform’s own',
      configuration({ servers: [serverNamed('platform')] }),
      /"platform" is the name of the platform's own server/,
    ],
  ])('%s is refused with a sentence that names it', (_, frozen, sentence) => {
    expect(() => render(frozen)).toThrow(
      expect.objectContaining({ name: 'UnsupportedWorkloadError', message: expect.stringMatching(sentence) }),
    );
  });
});
