/**
 * What this installation can run, and why not the rest: reported where it is chosen, saved and shown, so that
 * nobody learns it from a failed session. Pure.
 */
import * as z from 'zod';
import { type AcpPreset, acpPreset, acpPresets } from './acp-preset.ts';
import type { Agent, Run } from './agent.ts';
import type { McpServer, Shape } from './catalog.ts';
import type { FieldProblem } from './errors.ts';

/** What sessions run on (docs/runtimes.md). API and worker must have the same value. */
export const runtimeName = z.enum(['process', 'container', 'kubernetes']);
export type RuntimeName = z.infer<typeof runtimeName>;

/** What a worker found out about the machine that its sessions run on. */
export const workerCapabilities = z.strictObject({
  runtime: runtimeName,
  /** Whether agents and MCP servers are isolated from the machine and from each other. */
  sandbox: z.boolean(),
  /** Whether sessions can have internet access without access to private networks. */
  internet: z.boolean(),
  /** Without a sandbox: the commands that are allowed anyway. Null allows every command. */
  commands: z.array(z.string()).nullable(),
  /** Package managers that cannot start servers here because a required program is missing. */
  missing_commands: z.array(z.string()),
  /** Resource limits of each agent and server as enforced here, one sentence each. */
  limits: z.array(z.string()),
  /** Whether what the built-in agent `claude` needs is there: its package, or its image. */
  claude: z.boolean(),
  /** Presets of the built-in agent `acp` whose programs or images are there; absent: none. */
  acp_presets: z.array(acpPreset).optional(),
  /** Whether agents get repositories here: a sandbox and git are there. Absent: no. */
  repositories: z.boolean().optional(),
});
export type WorkerCapabilities = z.infer<typeof workerCapabilities>;

const reason = z.string().nullable();

/** The reason why something is unavailable here; null when it is available. */
export const availability = z.strictObject({
  shapes: z.strictObject({ command: reason, image: reason, remote: reason }),
  runs: z.strictObject({ scripted: reason, command: reason, image: reason, claude: reason, acp: reason }),
  /** What the built-in agent `acp` can start, where it runs at all. */
  acp_presets: z.strictObject({ claude: reason, codex: reason, opencode: reason, custom: reason }),
  /** Commands that are available although `command` in general is not. */
  commands: z.array(z.string()),
  /** Reasons for the commands that cannot start a server here, by command, when others can. */
  unavailable_commands: z.record(z.string(), z.string()),
  internet: reason,
  private_destinations: reason,
  /** Siblings of agents. Services are companions, too, and run wherever a program of their kind does. */
  companions: reason,
  /** An agent's access to a language model. */
  model_access: reason,
  /** An agent's repository. */
  repository: reason,
});
export type Availability = z.infer<typeof availability>;

export const noClaudeImage =
  'the built-in agent "claude" runs in an image of its own; an operator has to build it (target claude of deploy/Dockerfile) and name it by CLAUDE_IMAGE';

/** `custom` has one too: its program is in it. */
export const noAcpImage = (preset: AcpPreset) =>
  `"${preset}" runs in an image of its own; an operator has to build it (target ${preset === 'custom' ? 'acp' : `acp-${preset}`} of deploy/Dockerfile) and name it in ACP_IMAGES`;

const reasons = {
  image:
    'images need a container engine or a cluster, and this platform runs sessions as processes; use a command',
  remote:
    'remote MCP servers need a sandbox, which keeps access tokens from other programs of the machine that runs sessions; an operator has to install bubblewrap',
  claudePackage:
    'the built-in agent "claude" is not installed on the machine that runs sessions; an operator has to run "npm run claude:install" there and restart the platform',
  claudeSandbox:
    'the built-in agent "claude" needs a sandbox, which keeps what a model does from other programs of the machine that runs sessions; an operator has to install bubblewrap',
  companion: 'the built-in agent "claude" is an agent of a session, and nothing beside one',
  acpCompanion: 'the built-in agent "acp" is an agent of a session, and nothing beside one',
  acpSandbox:
    'the built-in agent "acp" needs a sandbox, which keeps what it starts from other programs of the machine that runs sessions; an operator has to install bubblewrap',
  model:
    'access to a language model needs a sandbox, which keeps its key from other programs of the machine that runs sessions; an operator has to install bubblewrap',
  sandbox:
    'there is no sandbox on the machine that runs sessions, so it runs only what it came with; an operator has to install bubblewrap',
  internet:
    'there is no way from sessions to the internet here that keeps them from private networks; choose the network "none" for what works without, or an operator has to install slirp4netns and iproute2, on a kernel with veth',
  private: 'private destinations can be opened only where sessions run in a cluster',
  repositoryMissing:
    'a repository needs a sandbox and git on the machine that runs sessions; an operator has to install bubblewrap and git',
  repositoryContainers:
    'repositories are fetched where sessions are processes, and this platform runs them in containers; give the agent an MCP server that reads the repository',
  companions:
    'siblings need a sandbox, which gives each a network of its own; an operator has to install bubblewrap',
} as const;

const missingCommand = (command: string) =>
  `"${command}" needs ${programOf[command] ?? command}, which the machine that runs sessions does not have; an operator has to install it`;
const programOf: Readonly<Record<string, string>> = { uvx: 'uv' };

/**
 * `workers` are those that run now: what one of them cannot run may fail. Without any, what the
 * runtime itself rules out.
 */
export function availabilityOf(runtime: RuntimeName, workers: readonly WorkerCapabilities[]): Availability {
  const isProcess = runtime === 'process';
  const unless = (fine: boolean, why: string): string | null => (fine ? null : why);
  const limited = workers.filter(({ commands }) => commands !== null);
  const command = unless(limited.length === 0, reasons.sandbox);
  const image = unless(!isProcess, reasons.image);
  const internet = unless(
    workers.every((each) => each.internet),
    reasons.internet,
  );
  const hasSandbox = workers.every((each) => each.sandbox);
  return {
    shapes: { command, image, remote: unless(hasSandbox, reasons.remote) ?? internet },
    runs: {
      ...{ scripted: null, command, image, claude: unavailableClaude(runtime, workers) },
      acp: unless(hasSandbox, reasons.acpSandbox),
    },
    acp_presets: acpPresetsOf(runtime, workers),
    commands: (limited[0]?.commands ?? []).filter((name) =>
      limited.every(({ commands }) => commands?.includes(name)),
    ),
    unavailable_commands: Object.fromEntries(
      workers.flatMap(({ missing_commands: names }) => names.map((name) => [name, missingCommand(name)])),
    ),
    internet,
    private_destinations: unless(runtime === 'kubernetes', reasons.private),
    companions: unless(hasSandbox, reasons.companions),
    model_access: unless(hasSandbox, reasons.model),
    repository: isProcess
      ? unless(
          workers.every(({ repositories }) => repositories === true),
          reasons.repositoryMissing,
        )
      : reasons.repositoryContainers,
  };
}

const missingPreset = (preset: AcpPreset) =>
  `"${preset}" is not installed on the machine that runs sessions; an operator has to run "npm run acp:install -- ${preset}" there and restart the platform`;

const noLoopback = (preset: AcpPreset, what: string) =>
  `"${preset}" does not run on Kubernetes: ${what} of a loopback of its own, and containers of a Pod share theirs, which one without a network is kept from; choose "claude" or "custom", or run sessions as processes or on a container engine`;

function acpPresetsOf(
  runtime: RuntimeName,
  workers: readonly WorkerCapabilities[],
): Record<AcpPreset, string | null> {
  const why = (preset: AcpPreset): string | null => {
    const { needsLoopback } = acpPresets[preset];
    if (runtime === 'kubernetes' && needsLoopback !== null) {
      return noLoopback(preset, needsLoopback);
    }
    const isThere = workers.every(({ acp_presets: there = [] }) => there.includes(preset));
    if (runtime === 'process') {
      return isThere || preset === 'custom' ? null : missingPreset(preset);
    }
    return isThere ? null : noAcpImage(preset);
  };
  return { claude: why('claude'), codex: why('codex'), opencode: why('opencode'), custom: why('custom') };
}

function unavailableClaude(runtime: RuntimeName, workers: readonly WorkerCapabilities[]): string | null {
  if (!workers.every(({ sandbox }) => sandbox)) {
    return reasons.claudeSandbox;
  }
  const isThere = workers.every(({ claude }) => claude);
  const missing = runtime === 'process' ? reasons.claudePackage : noClaudeImage;
  return isThere ? null : missing;
}

type Reach = Pick<McpServer, 'network' | 'egress_allow'>;
type RunnableShape = Pick<Shape, 'type'> & { command?: string };
type RunnableEntry = { shape: RunnableShape } & Reach;
type Companion = Pick<Agent['siblings'][number], 'name' | 'run'>;
/** As saved or as frozen, where they are absent without one. */
type RunnableAgent = Pick<Agent, 'run'> & {
  model_access?: object | null | undefined;
  repository?: object | null | undefined;
} & Reach &
  Record<'siblings' | 'services', readonly Companion[]>;

/** A command may be any text, so inherited object properties must not match. */
const unavailableCommand = (
  command: string,
  { unavailable_commands: reasons }: Availability,
): string | null => (Object.hasOwn(reasons, command) ? (reasons[command] ?? null) : null);

/** Why an MCP server of this shape cannot run; null when it can. */
export function unavailableShape(shape: RunnableShape, here: Availability): string | null {
  const why = here.shapes[shape.type];
  if (shape.type !== 'command') {
    return why;
  }
  const command = shape.command ?? '';
  return here.commands.includes(command) ? null : (why ?? unavailableCommand(command, here));
}

/** Why a catalog entry cannot run, as problems of its fields; empty when it can. */
export const unavailableEntryProblems = (entry: RunnableEntry, here: Availability): FieldProblem[] => [
  ...problem('shape.type', unavailableShape(entry.shape, here)),
  ...unavailableReachProblems(entry, here),
];

/** Why a catalog entry cannot run; null when it can. */
export const unavailableEntry = (entry: RunnableEntry, here: Availability): string | null =>
  unavailableEntryProblems(entry, here)[0]?.message ?? null;

/** Why an agent cannot be saved, as problems of its fields; empty when it can run. */
export const unavailableAgentProblems = (
  { run, network, repository }: Pick<Agent, 'run' | 'network' | 'repository'>,
  here: Availability,
): FieldProblem[] => [
  ...unavailableRunProblems(run, here),
  ...problem('repository', repository === null ? null : here.repository),
  ...unavailableReachProblems({ network, egress_allow: [] }, here),
];

/** Why sessions of an agent with these entries cannot start; null when they can. */
export function unavailableAgent(
  agent: RunnableAgent,
  entries: readonly (RunnableEntry & Pick<McpServer, 'name'>)[],
  here: Availability,
): string | null {
  const [own] = [...unavailableRunProblems(agent.run, here), ...unavailableReachProblems(agent, here)];
  const ofServers = entries.flatMap((entry) =>
    unavailableEntryProblems(entry, here).map(({ message }) => `its MCP server "${entry.name}": ${message}`),
  );
  const model = (agent.model_access ?? null) === null ? null : here.model_access;
  const repository = (agent.repository ?? null) === null ? null : here.repository;
  return own?.message ?? model ?? repository ?? unavailableCompanions(agent, here) ?? ofServers[0] ?? null;
}

function unavailableCompanions(
  { siblings, services }: Pick<RunnableAgent, 'siblings' | 'services'>,
  here: Availability,
): string | null {
  if (siblings.length > 0 && here.companions !== null) {
    return here.companions;
  }
  const refusalsOf = (what: string, companions: readonly Companion[]) =>
    companions.flatMap(({ name, run }) =>
      unavailableCompanionProblems(run, here).map(({ message }) => `its ${what} "${name}": ${message}`),
    );
  return [...refusalsOf('sibling', siblings), ...refusalsOf('service', services)][0] ?? null;
}

const unavailableCompanionProblems = (run: Run, here: Availability): FieldProblem[] =>
  run.type === 'builtin' && run.name !== 'scripted'
    ? problem('run.name', run.name === 'claude' ? reasons.companion : reasons.acpCompanion)
    : unavailableRunProblems(run, here);

const unavailableReachProblems = ({ network, egress_allow }: Reach, here: Availability): FieldProblem[] => [
  ...problem('network', network === 'internet' ? here.internet : null),
  ...problem('egress_allow', egress_allow.length > 0 ? here.private_destinations : null),
];

/** As problems of the field `run`; empty when an agent can run like this. */
export function unavailableRunProblems(run: Run, here: Availability): FieldProblem[] {
  if (run.type !== 'builtin') {
    return problem('run.type', here.runs[run.type]);
  }
  const why = here.runs[run.name];
  return why === null && run.name === 'acp'
    ? problem('run.preset', here.acp_presets[run.preset])
    : problem('run.name', why);
}

const problem = (path: string, message: string | null): FieldProblem[] =>
  message === null ? [] : [{ path, code: 'not_available', message }];
