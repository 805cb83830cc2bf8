/** Pure: a frozen configuration as containers of this runtime, or a sentence about what it cannot run. */
import { join } from 'node:path';
import type { FrozenConfiguration, FrozenServer } from '../../contract/session.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { sessionFiles } from './layout.ts';
import type { ContainerProgram, ContainerSpec, ProcessWorkloadSpec } from './workload-spec.ts';

/** What holds without a sandbox. */
export interface BareRules {
  /** Containers connect to sockets below it by their whole path. */
  sessionsDirectory: string;
  /** Commands of servers that may run all the same; null lets every command run. */
  seededCommands: ReadonlySet<string> | null;
}

/** Null: every container has its sandbox. */
export type RenderRules = BareRules | null;

const firstUid = 2000;
/** The kernel takes no longer path for a socket. */
const socketPathLimitBytes = 107;

/** Throws UnsupportedWorkloadError. */
export function renderWorkload(configuration: FrozenConfiguration, rules: RenderRules): ProcessWorkloadSpec {
  const { agent, servers } = configuration;
  refuseWhatIsMissing(configuration);
  refuseLongPaths(configuration, rules);
  const containers: ContainerSpec[] = [
    {
      name: 'agent',
      server: null,
      program: agentProgram(configuration, rules),
      network: agent.network,
      uid: firstUid,
    },
    ...servers.map((server, index) => ({
      name: `mcp-${server.name}`,
      server: server.name,
      program: serverProgram(server, rules),
      network: server.network,
      uid: firstUid + 1 + index,
    })),
  ];
  return {
    sessionId: configuration.session_id,
    agent: {
      session_id: configuration.session_id,
      agent: {
        id: agent.id,
        name: agent.name,
        kind: agent.kind,
        instructions: agent.instructions,
        model: agent.model,
      },
      prompt: configuration.prompt,
    },
    servers: servers.map(({ name, tool_scopes }) => ({ name, tool_scopes })),
    containers,
  };
}

function refuseWhatIsMissing({ agent, servers, siblings, services }: FrozenConfiguration): void {
  const [companion] = [...siblings, ...services];
  if (companion !== undefined) {
    throw new UnsupportedWorkloadError(
      `"${companion.name}": siblings and services are not available on the process runtime`,
    );
  }
  const opened = [agent, ...servers].find(({ egress_allow }) => egress_allow.length > 0);
  if (opened !== undefined) {
    throw new UnsupportedWorkloadError(
      `"${opened.name}": egress_allow is not available on the process runtime`,
    );
  }
}

function refuseLongPaths({ session_id, servers }: FrozenConfiguration, rules: RenderRules): void {
  if (rules === null) {
    return;
  }
  const files = sessionFiles(join(rules.sessionsDirectory, session_id));
  const sockets = [
    files.sidecarSocket,
    files.agentSocket('platform'),
    ...servers.map(({ name }) => files.relaySocket(name)),
  ];
  const tooLong = sockets.find((path) => Buffer.byteLength(path) > socketPathLimitBytes);
  if (tooLong !== undefined) {
    throw new UnsupportedWorkloadError(
      `without a sandbox the session's sockets need paths of at most ${socketPathLimitBytes} bytes, and ${tooLong} is longer; keep the data in a directory with a shorter path, or install bubblewrap`,
    );
  }
}

function agentProgram({ agent: { run } }: FrozenConfiguration, rules: RenderRules): ContainerProgram {
  if (run.type === 'image') {
    throw new UnsupportedWorkloadError('the agent runs an image, and the process runtime starts no images');
  }
  if (run.type === 'builtin') {
    if (run.name !== 'scripted') {
      throw new UnsupportedWorkloadError(`the built-in agent "${run.name}" is not available yet`);
    }
    return { type: 'scripted' };
  }
  if (rules !== null && rules.seededCommands !== null) {
    throw new UnsupportedWorkloadError(
      'without bubblewrap only the scripted agent runs here; install bubblewrap',
    );
  }
  return { type: 'command', command: run.command, args: run.args };
}

function serverProgram({ name, shape }: FrozenServer, rules: RenderRules): ContainerProgram {
  if (shape.type !== 'command') {
    const why =
      shape.type === 'image'
        ? 'is an image, and the process runtime starts no images'
        : 'is remote, which is not available yet';
    throw new UnsupportedWorkloadError(`the MCP server "${name}" ${why}`);
  }
  const seeded = rules?.seededCommands ?? null;
  if (seeded !== null && !seeded.has(shape.command)) {
    throw new UnsupportedWorkloadError(
      `the MCP server "${name}" runs "${shape.command}", which needs a sandbox; install bubblewrap`,
    );
  }
  return { type: 'command', command: shape.command, args: shape.args };
}
