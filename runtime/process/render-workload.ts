/** Pure: a frozen configuration as containers of this runtime, or a sentence about what it cannot run. */
import type { Run } from '../../contract/agent.ts';
import { agentPaths } from '../../contract/agent-paths.ts';
import { availabilityOf } from '../../contract/available-runs.ts';
import type { FrozenConfiguration, FrozenServer } from '../../contract/session.ts';
import { bridgeConfigOf, type PrivateHosts, privateOriginOf } from '../bridge-config.ts';
import { modelContainerName, modelEnv, modelProgramOf, refuseModelPort } from '../model-program.ts';
import { notRendered, refuseUnavailable } from '../refuse-unavailable.ts';
import { sessionDescription } from '../render-boot.ts';
import { siblingContainerName } from '../siblings.ts';
import { secretVariables } from '../variables.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import { hostSocketName, modelDirectoryInside } from './layout.ts';
import type { ContainerProgram, ProcessContainerSpec, ProcessWorkloadSpec } from './workload-spec.ts';

export interface RenderRules {
  /** Whether containers are isolated from the machine and from each other. */
  sandbox: boolean;
  /** The server commands that may run without a sandbox. Null allows every command. */
  seededCommands: ReadonlySet<string> | null;
  /** Whether what the agent `claude` loads is installed. */
  claude: boolean;
  /** Whether containers that request the internet get it. */
  internet: boolean;
  privateHosts: PrivateHosts;
  modelBaseUrl: string;
}

const firstUid = 2000;

const withoutSandbox =
  'services need a sandbox, which gives each a network of its own to listen on; an operator has to install bubblewrap';

/** Throws UnsupportedWorkloadError. */
export function renderWorkload(configuration: FrozenConfiguration, rules: RenderRules): ProcessWorkloadSpec {
  const { agent, servers, siblings, service } = configuration;
  refuseUnavailable(configuration, available(rules));
  if (service !== undefined && !rules.sandbox) {
    throw new UnsupportedWorkloadError(withoutSandbox);
  }
  const containers: ProcessContainerSpec[] = [
    {
      name: 'agent',
      server: null,
      sibling: null,
      program: programOf('the agent', agent.run),
      network: agent.network,
      secretVariables: secretVariables(agent.env),
      uid: firstUid,
    },
    ...servers.map((server, index) => ({
      name: `mcp-${server.name}`,
      server: server.name,
      sibling: null,
      program: serverProgram(server, rules),
      network: server.network,
      secretVariables: secretVariables(server.env),
      uid: firstUid + 1 + index,
    })),
    ...siblings.map(({ name, run, env, port, ready }, index) => ({
      name: siblingContainerName(name),
      server: null,
      sibling: { name, port, ready },
      program: programOf(`the sibling "${name}"`, run),
      network: agent.network,
      secretVariables: secretVariables(env),
      uid: firstUid + 1 + servers.length + index,
    })),
  ];
  const facts = sessionDescription(configuration);
  const model = facts.hasModelAccess
    ? modelContainers(configuration, firstUid + containers.length, rules)
    : [];
  return { ...facts, containers: [...containers, ...model] };
}

/** One for an agent with access to a model. It is in a sandbox, which `available` asks for. */
function modelContainers(
  { agent: { model_access: access }, siblings }: FrozenConfiguration,
  uid: number,
  rules: RenderRules,
): ProcessContainerSpec[] {
  if (access === undefined) {
    return [];
  }
  refuseModelPort(siblings);
  const socketDirectory = modelDirectoryInside;
  const place = { socketDirectory, hostSocket: `${socketDirectory}/${hostSocketName}` };
  const program = modelProgramOf(access, rules, place);
  if (!rules.internet && program.privateOrigin === null) {
    throw new UnsupportedWorkloadError(
      `the agent's model access needs the internet, and the machine that runs sessions has no safe way to it; an operator has to install slirp4netns`,
    );
  }
  return [
    {
      name: modelContainerName,
      server: null,
      sibling: null,
      program: { type: 'model', ...program },
      network: 'internet',
      secretVariables: secretVariables(modelEnv(access)),
      uid,
    },
  ];
}

/** Package managers that are missing here are told when packages are loaded. */
const available = ({ seededCommands, sandbox, internet, claude }: RenderRules) => {
  const commands = seededCommands === null ? null : [...seededCommands];
  return availabilityOf('process', [
    { runtime: 'process', sandbox, internet, commands, missing_commands: [], limits: [], claude },
  ]);
};

function programOf(label: string, run: Run): ContainerProgram {
  if (run.type === 'command') {
    return { type: 'command', command: run.command, args: run.args };
  }
  if (run.type === 'builtin') {
    return { type: run.name };
  }
  throw notRendered(label);
}

function serverProgram(
  { name, shape, sign_in }: FrozenServer,
  { privateHosts }: RenderRules,
): ContainerProgram {
  switch (shape.type) {
    case 'command':
      return { type: 'command', command: shape.command, args: shape.args };
    case 'remote': {
      // Only in a sandbox, where these paths are.
      const { mcpDirectory } = agentPaths;
      const hostSocket = `${mcpDirectory}/${hostSocketName}`;
      return {
        type: 'remote',
        bridge: bridgeConfigOf({ shape, sign_in }, { privateHosts, mcpDirectory, hostSocket }),
        privateOrigin: privateOriginOf(shape, privateHosts),
      };
    }
    case 'image':
      throw notRendered(`the MCP server "${name}"`);
  }
}
