import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import { renderEnvironment } from '../../../../runtime/process/host/start-container.ts';
import type { Programs } from '../../../../runtime/process/layout.ts';
import { renderWorkload } from '../../../../runtime/process/render-launch.ts';
import {
  renderSandbox,
  type SandboxedContainer,
  type SystemRoot,
} from '../../../../runtime/process/render-sandbox.ts';
import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import { testEndpoints } from '../../../support/model-endpoints.ts';
import { checkProperty } from '../../../support/property.ts';

const directory = '/data/sessions/00000000-0000-4000-8000-000000000001';
const root: SystemRoot = {
  links: { '/bin': 'usr/bin', '/lib': 'usr/lib' },
  directories: ['/lib64'],
  hidden: ['/usr/local/etc'],
  hiddenFiles: ['/proc/keys'],
};
const programs: Programs = {
  nodePrefix: '/usr',
  directory: '/app/dist',
  relay: null,
  runner: '/app/runner',
  claude: null,
};
type Program = SandboxedContainer['program'];
/** As planned, but for the changes. */
function planned(frozen: FrozenConfiguration, name: string): SandboxedContainer {
  const rules = { sandbox: true, seededCommands: null, internet: true, claude: false };
  const endpoint = { privateHosts: new Map(), modelEndpoints: testEndpoints() };
  const { containers } = renderWorkload(frozen, { ...rules, ...endpoint });
  const found = containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
}
const agent = planned(configuration(), 'agent');
const serverCalled = (
  server: string,
  changes: Partial<SandboxedContainer> = {},
): SandboxedContainer & { subject: string } => ({
  ...planned(configuration({ servers: [serverNamed(server)] }), `mcp-${server}`),
  subject: server,
  ...changes,
});
const render = (container: SandboxedContainer, changes: Partial<Programs> = {}) =>
  renderSandbox(container, {
    directory,
    programs: { ...programs, ...changes },
    root,
    workspaceBytes: 4096,
  });

/** The mounts: source, target, and whether it is writable. */
function mounts(argv: readonly string[]): { from: string; to: string; writable: boolean }[] {
  return argv.flatMap((option, index) => {
    const isBind = ['--bind', '--ro-bind', '--ro-bind-try', '--bind-try', '--dev-bind'].includes(option);
    const [from = '', to = ''] = argv.slice(index + 1, index + 3);
    return isBind ? [{ from, to, writable: !option.startsWith('--ro-') }] : [];
  });
}

const name = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/);
const container: fc.Arbitrary<SandboxedContainer & { subject?: string }> = fc.oneof(
  fc
    .record({
      program: fc.constantFrom<Program>(
        { type: 'scripted' },
        { type: 'command', command: 'sh', args: ['-c', 'exit'] },
      ),
      network: fc.constantFrom('none' as const, 'internet' as const),
      uid: fc.integer({ min: 2000, max: 2032 }),
    })
    .map((changes) => ({ ...agent, ...changes })),
  fc
    .tuple(
      name.filter((each) => each !== 'platform'),
      fc.constantFrom('none' as const, 'internet' as const),
      fc.integer({ min: 2000, max: 2032 }),
    )
    .map(([server, network, uid]) => serverCalled(server, { network, uid })),
);
const nodePrefix = fc.constantFrom(
  '/usr',
  '/usr/local',
  '/opt/node-20',
  '/home/ada/.local',
  '/root/.nvm/v20',
);
const relay = fc.constantFrom(null, '/app/dist/relay');

describe('the sandbox of a container', () => {
  it('mounts only what it is allowed to see', () => {
    const allowed = [
      /^\/(usr|lib64|dev\/null)$/,
      /^\/etc\/(ssl\/certs|ssl\/openssl\.cnf|pki\/tls\/(certs|cert\.pem|openssl\.cnf)|pki\/ca-trust\/extracted)$/,
      /^\/etc\/(crypto-policies|ld\.so\.(cache|conf|conf\.d)|localtime|alternatives)$/,
      /^\/app\/runner$/,
      /^\/app\/dist\/(relay|relay\.js|scripted-agent\.js)$/,
      /\/bin\/node$/,
      /\/lib\/node_modules\/npm$/,
    ];
    checkProperty(
      fc.property(container, nodePrefix, relay, (each, prefix, path) => {
        const own = [
          `${directory}/etc/`,
          `${directory}/work/${each.name}`,
          each.role === 'agent' ? `${directory}/agent` : `${directory}/servers/${each.subject}`,
        ];
        for (const { from } of mounts(render(each, { nodePrefix: prefix, relay: path }))) {
          const isOwn = own.some((path) => from === path || (path.endsWith('/') && from.startsWith(path)));
          expect({ from, ok: isOwn || allowed.some((pattern) => pattern.test(from)) }).toEqual({
            from,
            ok: true,
          });
        }
      }),
    );
  });

  it('can write only to its own workspace on this machine', () => {
    checkProperty(
      fc.property(container, nodePrefix, (each, prefix) => {
        const argv = render(each, { nodePrefix: prefix });
        expect(mounts(argv).filter(({ writable }) => writable)).toEqual([]);
        const workspace = argv.indexOf('/workspace');
        expect(argv.slice(workspace - 3, workspace)).toEqual(['--size', '4096', '--tmpfs']);
        expect(argv.slice(-2)).toEqual(['--remount-ro', '/']);
      }),
    );
  });

  it('has a separate network namespace exactly without a network; with internet it is started inside a connected one', () => {
    checkProperty(
      fc.property(container, (each) => {
        expect(render(each).includes('--unshare-net')).toBe(each.network === 'none');
      }),
    );
  });

  it('never shares a namespace, keeps a capability, can create a user namespace, or outlives its host', () => {
    checkProperty(
      fc.property(container, (each) => {
        const argv = render(each);
        for (const option of [
          '--unshare-user',
          '--unshare-pid',
          '--unshare-ipc',
          '--unshare-uts',
          '--unshare-cgroup-try',
          '--disable-userns',
          '--new-session',
          '--die-with-parent',
          '--clearenv',
        ]) {
          expect(argv).toContain(option);
        }
        expect(argv.slice(argv.indexOf('--cap-drop')).slice(0, 2)).toEqual(['--cap-drop', 'ALL']);
        expect(argv.filter((option) => option.startsWith('--share') || option === '--cap-add')).toEqual([]);
        expect(argv.slice(argv.indexOf('--uid')).slice(0, 4)).toEqual([
          '--uid',
          String(each.uid),
          '--gid',
          String(each.uid),
        ]);
      }),
    );
  });

  it('exposes all its sockets to the agent, and only its own to a server', () => {
    expect(mounts(render(agent)).filter(({ to }) => to.startsWith('/run'))).toEqual([
      { from: `${directory}/agent`, to: '/run/platform', writable: false },
    ]);
    expect(mounts(render(serverCalled('files'))).filter(({ to }) => to.startsWith('/run'))).toEqual([
      { from: `${directory}/servers/files`, to: '/run/platform/mcp', writable: false },
    ]);
  });

  it('includes the scripted agent only where it runs, and the runner only for commands', () => {
    const inside = (each: SandboxedContainer) => mounts(render(each)).map(({ to }) => to);
    expect(inside(agent)).toContain('/opt/platform/scripted-agent.js');
    expect(inside(agent)).not.toContain('/opt/runner');
    expect(inside(serverCalled('files'))).not.toContain('/opt/platform/scripted-agent.js');
    expect(inside(serverCalled('files'))).toContain('/opt/runner');
  });

  it('includes the agent claude with what it loads only where it runs', () => {
    const installed = { claude: '/app/agents/claude' };
    const seen = (program: Program) =>
      mounts(render({ ...agent, program }, installed)).filter(({ from }) => from.includes('claude'));
    expect(seen({ type: 'claude' })).toEqual([
      { from: '/app/dist/claude-agent.js', to: '/opt/platform/claude-agent.js', writable: false },
      { from: '/app/agents/claude/node_modules', to: '/opt/platform/node_modules', writable: false },
    ]);
    expect(seen({ type: 'scripted' })).toEqual([]);
    expect(seen({ type: 'command', command: 'sh', args: [] })).toEqual([]);
  });

  it('includes the agent acp, what an operator installed for it, and the runner', () => {
    const program = { type: 'acp', preset: 'opencode', command: [] as string[] } as const;
    const inside = render({ ...agent, program });
    expect(mounts(inside).map(({ to }) => to)).toEqual(
      expect.arrayContaining(['/opt/platform/acp-agent.js', '/opt/runner']),
    );
    const at = inside.indexOf('/app/agents/acp/packages');
    expect(inside.slice(at - 1, at + 2)).toEqual(['--ro-bind-try', '/app/agents/acp/packages', '/opt/agent']);
    expect(render(agent)).not.toContain('/opt/agent');
  });

  it('has the static relay of a server as its first process, which reaps what the server leaves behind', () => {
    const isFirst = (each: SandboxedContainer, path: string | null) =>
      render(each, { relay: path }).includes('--as-pid-1');
    expect(isFirst(serverCalled('files'), '/app/dist/relay')).toBe(true);
    expect(isFirst(serverCalled('files'), null)).toBe(false);
    expect(isFirst(agent, '/app/dist/relay')).toBe(false);
    const relays = (path: string | null) =>
      mounts(render(agent, { relay: path })).filter(({ to }) => to.includes('relay'));
    expect(relays('/app/dist/relay')).toEqual([
      { from: '/app/dist/relay', to: '/opt/platform/bin/relay', writable: false },
    ]);
    expect(relays(null).map(({ to }) => to)).toEqual(['/opt/platform/bin/relay', '/opt/platform/relay.js']);
  });

  it('mounts Node and npm from an installation elsewhere, without what is next to them', () => {
    const argv = render(agent, { nodePrefix: '/home/ada/.local' });
    expect(mounts(argv).filter(({ from }) => from.startsWith('/home'))).toEqual([
      { from: '/home/ada/.local/bin/node', to: '/opt/node/bin/node', writable: false },
      {
        from: '/home/ada/.local/lib/node_modules/npm',
        to: '/opt/node/lib/node_modules/npm',
        writable: false,
      },
    ]);
    expect(mounts(render(agent)).some(({ to }) => to.startsWith('/opt/node'))).toBe(false);
  });

  it('hides configuration below /usr, which may hold tokens', () => {
    const argv = render(agent).join(' ');
    expect(argv).toContain('--ro-bind /usr /usr --tmpfs /usr/local/etc --remount-ro /usr/local/etc');
  });
});

describe('the environment of a container', () => {
  it('is set variable by variable, whatever the values are', () => {
    const env = fc.dictionary(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,9}$/), fc.string());
    checkProperty(
      fc.property(env, (values) => {
        const argv = renderEnvironment(values);
        expect(argv).toHaveLength(Object.keys(values).length * 3);
        Object.entries(values).forEach(([key, value], index) => {
          expect(argv.slice(index * 3, index * 3 + 3)).toEqual(['--setenv', key, value]);
        });
      }),
    );
  });
});
