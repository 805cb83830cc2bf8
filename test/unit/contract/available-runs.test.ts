import { describe, expect, it } from '@jest/globals';
import { type AcpPreset, acpPreset } from '../../../contract/acp-preset.ts';
import {
  availabilityOf,
  type RuntimeName,
  runtimeName,
  unavailableAgent,
  unavailableAgentProblems,
  unavailableEntry,
  unavailableEntryProblems,
  unavailableRunProblems,
  unavailableShape,
  type WorkerCapabilities,
} from '../../../contract/available-runs.ts';

const image = { type: 'image', image: 'registry.example/team/agent:1' } as const;
const command = { type: 'command', command: 'node', args: [] as string[] } as const;
const worker = (more: Partial<WorkerCapabilities> = {}): WorkerCapabilities => ({
  runtime: 'process',
  sandbox: true,
  internet: true,
  commands: null,
  missing_commands: [],
  limits: [],
  claude: false,
  ...more,
});

describe('what an installation cannot run', () => {
  it('is an image for processes, and only for them', () => {
    const refusing = runtimeName.options.filter(
      (runtime) => unavailableRunProblems(image, availabilityOf(runtime, [])).length > 0,
    );
    expect(refusing).toEqual(['process']);
    const here = availabilityOf('process', []);
    expect(unavailableShape(image, here)).toMatch(/container engine or a cluster/);
    expect(here.private_destinations).not.toBeNull();
  });

  it('is never a command or the scripted agent if there is a sandbox, or no worker reports otherwise', () => {
    for (const workers of [[], [worker()]]) {
      for (const runtime of runtimeName.options) {
        const here = availabilityOf(runtime, workers);
        expect(unavailableRunProblems({ ...command, args: [] }, here)).toEqual([]);
        expect(unavailableRunProblems({ type: 'builtin', name: 'scripted' }, here)).toEqual([]);
        expect(unavailableShape(command, here)).toBeNull();
      }
    }
  });

  it('is every command but the known ones if one of the workers has no sandbox', () => {
    const bare = worker({ sandbox: false, commands: ['mcp-server-filesystem'] });
    const here = availabilityOf('process', [worker(), bare]);
    expect(unavailableShape(command, here)).toMatch(/no sandbox/);
    expect(unavailableShape({ type: 'command', command: 'mcp-server-filesystem' }, here)).toBeNull();
    expect(unavailableRunProblems({ ...command, args: [] }, here)).toEqual([
      expect.objectContaining({ path: 'run.type', code: 'not_available' }),
    ]);
  });

  it('is an entry with private destinations, except in a cluster', () => {
    const opened = { shape: command, network: 'none' as const, egress_allow: ['10.1.2.3:5432'] };
    const ruledOut = runtimeName.options.filter((name) => unavailableEntry(opened, availabilityOf(name, [])));
    expect(ruledOut).toEqual(['process', 'container']);
    expect(unavailableEntry({ ...opened, egress_allow: [] }, availabilityOf('process', []))).toBeNull();
  });

  it('is a command whose program one of the workers lacks, and no other', () => {
    const here = availabilityOf('process', [worker(), worker({ missing_commands: ['uvx'] })]);
    expect(unavailableShape({ type: 'command', command: 'uvx' }, here)).toMatch(/needs uv, .*install it/);
    expect(unavailableShape(command, here)).toBeNull();
    expect(unavailableShape({ type: 'command', command: 'constructor' }, here)).toBeNull();
  });

  it('is the internet if one of the workers has no safe access to it', () => {
    expect(availabilityOf('process', [worker()]).internet).toBeNull();
    expect(availabilityOf('process', [worker(), worker({ internet: false })]).internet).toMatch(
      /slirp4netns/,
    );
  });

  it('is an entry, an agent, or an agent with an entry, that needs an unavailable network', () => {
    const here = availabilityOf('process', [worker({ internet: false })]);
    const offline = { shape: command, network: 'none' as const, egress_allow: [] };
    const online = { ...offline, name: 'far', network: 'internet' as const };
    expect(unavailableEntry(offline, here)).toBeNull();
    expect(unavailableEntry(online, here)).toMatch(/no way from sessions to the internet/);
    expect(unavailableEntryProblems(online, here)).toMatchObject([{ path: 'network' }]);
    expect(unavailableEntry(online, availabilityOf('process', [worker()]))).toBeNull();

    const run = { type: 'builtin', name: 'scripted' } as const;
    const agent = { run, siblings: [], services: [], network: 'none' as const, egress_allow: [] };
    expect(unavailableAgent(agent, [{ ...offline, name: 'near' }], here)).toBeNull();
    expect(unavailableAgent(agent, [online], here)).toMatch(/^its MCP server "far": there is no way/);
    expect(unavailableAgent({ ...agent, network: 'internet' }, [], here)).toMatch(/no way from sessions/);
    expect(unavailableAgent({ ...agent, model_access: {} }, [], here)).toBeNull();
    const open = availabilityOf('process', [worker({ sandbox: false })]);
    expect(unavailableAgent({ ...agent, model_access: {} }, [], open)).toMatch(
      /^access to a language model needs a sandbox/,
    );
    const companions = { ...agent, siblings: [{ name: 'db', run: { ...command, args: [] }, env: {} }] };
    expect(unavailableAgent(companions, [], here)).toBeNull();
    const unsafe = availabilityOf('process', [worker({ sandbox: false })]);
    expect(unavailableAgent(companions, [], unsafe)).toMatch(/^siblings need a sandbox/);
    const inContainers = availabilityOf('container', []);
    expect(unavailableAgent(companions, [], inContainers)).toBeNull();
    const claude = { name: 'db', run: { type: 'builtin' as const, name: 'claude' as const } };
    expect(unavailableAgent({ ...agent, siblings: [claude] }, [], inContainers)).toMatch(
      /^its sibling "db": the built-in agent "claude" is an agent of a session/,
    );
    const { siblings: services } = companions;
    expect(unavailableAgent({ ...agent, services }, [], here)).toBeNull();
    expect(unavailableAgent({ ...agent, services: [claude] }, [], here)).toMatch(
      /^its service "db": .*claude/,
    );
    const image = { name: 'web', run: { type: 'image' as const, image: 'web:1' } };
    expect(unavailableAgent({ ...agent, services: [image] }, [], here)).toMatch(
      /^its service "web": images need a container engine/,
    );
    expect(unavailableAgent({ ...agent, services: [image] }, [], inContainers)).toBeNull();
    const bare = availabilityOf('process', [worker({ sandbox: false, commands: [] })]);
    expect(unavailableAgent({ ...agent, services }, [], bare)).toMatch(
      /^its service "db": there is no sandbox/,
    );
  });

  it('is the agent claude unless every worker has what it needs, and a sandbox', () => {
    const claude = { type: 'builtin', name: 'claude' } as const;
    const why = (runtime: RuntimeName, ...workers: WorkerCapabilities[]) =>
      unavailableRunProblems(claude, availabilityOf(runtime, workers))[0]?.message ?? null;
    const able = worker({ claude: true });
    expect(why('process')).toBeNull();
    expect(why('process', able, able)).toBeNull();
    expect(why('process', able, worker())).toMatch(/run "npm run claude:install"/);
    expect(why('process', worker({ claude: true, sandbox: false }))).toMatch(/install bubblewrap/);
    expect(why('container', able)).toBeNull();
    expect(why('kubernetes', worker())).toMatch(/name it by CLAUDE_IMAGE/);
  });

  it('is the agent acp without a sandbox, and beside an agent', () => {
    const acp = {
      type: 'builtin',
      name: 'acp',
      preset: 'custom',
      command: 'a',
      args: [] as string[],
    } as const;
    const why = (runtime: RuntimeName, more: Partial<WorkerCapabilities> = {}) =>
      unavailableRunProblems(acp, availabilityOf(runtime, [worker(more)]))[0]?.message ?? null;
    expect(why('process')).toBeNull();
    expect(why('process', { sandbox: false })).toMatch(/install bubblewrap/);
    const here = availabilityOf('process', [worker()]);
    const opencode = { type: 'builtin', name: 'acp', preset: 'opencode' } as const;
    expect(unavailableRunProblems(opencode, here)).toMatchObject([
      { path: 'run.preset', message: expect.stringContaining('run "npm run acp:install -- opencode"') },
    ]);
    const able = availabilityOf('process', [worker({ acp_presets: ['opencode'] })]);
    expect(unavailableRunProblems(opencode, able)).toEqual([]);
    const alone = { run: acp, siblings: [], services: [], network: 'none' as const, egress_allow: [] };
    expect(unavailableAgent({ ...alone, siblings: [{ name: 'db', run: acp }] }, [], here)).toMatch(
      /^its sibling "db": the built-in agent "acp" is an agent of a session/,
    );
  });

  it('is a preset without an image in containers, and on Kubernetes one that needs a loopback of its own', () => {
    const presetsOf = (runtime: RuntimeName, ...there: AcpPreset[]) =>
      availabilityOf(runtime, [worker({ acp_presets: there })]).acp_presets;
    expect(presetsOf('container', 'opencode', 'codex')).toEqual({
      claude: expect.stringMatching(/target acp-claude of .* name it in ACP_IMAGES/),
      codex: null,
      opencode: null,
      custom: expect.stringMatching(/target acp of .* name it in ACP_IMAGES/),
    });
    expect(presetsOf('kubernetes', ...acpPreset.options)).toEqual({
      claude: null,
      codex: expect.stringMatching(/does not run on Kubernetes: it asks its model at a port/),
      opencode: expect.stringMatching(/does not run on Kubernetes: it talks to itself by a port/),
      custom: null,
    });
  });

  it('is a repository without a sandbox and git, or in containers', () => {
    const why = (runtime: RuntimeName, more: Partial<WorkerCapabilities> = {}) =>
      unavailableAgentProblems(
        {
          ...{ run: { ...command, args: [] }, network: 'none' },
          repository: { name: 'a', path: null, ref: 'main' },
        },
        availabilityOf(runtime, [worker(more)]),
      );
    expect(why('process', { repositories: true })).toEqual([]);
    expect(why('process')).toMatchObject([{ path: 'repository', message: expect.stringContaining('git') }]);
    for (const runtime of ['container', 'kubernetes'] as const) {
      expect(why(runtime, { repositories: true })).toMatchObject([
        { path: 'repository', message: expect.stringContaining('where sessions are processes') },
      ]);
    }
  });

  it('is a remote server without the internet, or without a sandbox', () => {
    const remote = { type: 'remote' } as const;
    for (const runtime of runtimeName.options) {
      expect(unavailableShape(remote, availabilityOf(runtime, []))).toBeNull();
      expect(unavailableShape(remote, availabilityOf(runtime, [worker()]))).toBeNull();
    }
    const withOne = (more: Partial<WorkerCapabilities>) =>
      availabilityOf('process', [worker(), worker(more)]);
    expect(unavailableShape(remote, withOne({ internet: false }))).toMatch(
      /no way from sessions to the internet/,
    );
    expect(unavailableShape(remote, withOne({ sandbox: false }))).toMatch(/need a sandbox/);
  });
});
