/** Pure: a frozen configuration as containers of this runtime, or a sentence about what it cannot run. */
import type { FrozenConfiguration, FrozenServer } from '../../contract/session.ts';
import { sessionDescription } from '../render-boot.ts';
import { secretVariables } from '../variables.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import type { ContainerProgram, ProcessContainerSpec, ProcessWorkloadSpec } from './workload-spec.ts';

export interface RenderRules {
  /** The server commands that may run without a sandbox. Null allows every command. */
  seededCommands: ReadonlySet<string> | null;
  /** Whether containers that request the internet get it. */
  internet: boolean;
}

const firstUid = 2000;

/** Throws UnsupportedWorkloadError. */
export function renderWorkload(configuration: FrozenConfiguration, rules: RenderRules): ProcessWorkloadSpec {
  const { agent, servers } = configuration;
  refuseWhatIsMissing(configuration, rules);
  const containers: ProcessContainerSpec[] = [
    {
      name: 'agent',
      server: null,
      program: agentProgram(configuration, rules),
      network: agent.network,
      secretVariables: secretVariables(agent.env),
      uid: firstUid,
    },
    ...servers.map((server, index) => ({
      name: `mcp-${server.name}`,
      server: server.name,
      program: serverProgram(server, rules),
      network: server.network,
      secretVariables: secretVariables(server.env),
      uid: firstUid + 1 + index,
    })),
  ];
  return { ...sessionDescription(configuration), containers };
}

function refuseWhatIsMissing(
  { agent, servers, siblings, services }: FrozenConfiguration,
  { internet }: RenderRules,
): void {
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
  const cutOff = internet ? undefined : [agent, ...servers].find(({ network }) => network === 'internet');
  if (cutOff !== undefined) {
    throw new UnsupportedWorkloadError(
      `"${cutOff.name}" needs the internet, and sessions have no safe way to it here; install slirp4netns and iproute2`,
    );
  }
}

function agentProgram(
  { agent: { run } }: FrozenConfiguration,
  { seededCommands }: RenderRules,
): ContainerProgram {
  if (run.type === 'image') {
    throw new UnsupportedWorkloadError('the agent runs an image, and the process runtime starts no images');
  }
  if (run.type === 'builtin') {
    if (run.name !== 'scripted') {
      throw new UnsupportedWorkloadError(`the built-in agent "${run.name}" is not available yet`);
    }
    return { type: 'scripted' };
  }
  if (seededCommands !== null) {
    throw new UnsupportedWorkloadError(
      'without bubblewrap only the scripted agent runs here; install bubblewrap',
    );
  }
  return { type: 'command', command: run.command, args: run.args };
}

function serverProgram({ name, shape }: FrozenServer, { seededCommands }: RenderRules): ContainerProgram {
  if (shape.type !== 'command') {
    const why =
      shape.type === 'image'
        ? 'is an image, and the process runtime starts no images'
        : 'is remote, which is not available yet';
    throw new UnsupportedWorkloadError(`the MCP server "${name}" ${why}`);
  }
  if (seededCommands !== null && !seededCommands.has(shape.command)) {
    throw new UnsupportedWorkloadError(
      `the MCP server "${name}" runs "${shape.command}", which needs a sandbox; install bubblewrap`,
    );
  }
  return { type: 'command', command: shape.command, args: shape.args };
}
