/** Paths as the processes of a session see them: fixed in a sandbox, real ones without. */
import { dirname, join, relative } from 'node:path';
import { agentPaths } from '../../contract/agent-paths.ts';
import {
  agentConfigFile,
  agentHttpSocket,
  agentServerSocket,
  serviceSocket,
  sessionDirectories,
} from '../../contract/session-paths.ts';
import { containerPaths } from '../workload-plan/workload-plan.ts';

/** Paths as one container sees them. */
export interface Layout {
  node: string;
  /** Runs with an empty environment. */
  relay: string;
  scriptedAgent: string;
  claudeAgent: string;
  acpAgent: string;
  remoteBridge: string;
  modelProgram: string;
  /** Directory of the sockets: every server's for the agent, its own for a server. */
  mcpDirectory: string;
  sidecarSocket: string;
  serviceSocket: string;
  config: string;
  /** Private and writable; working directory and home. */
  workspace: string;
  path: string;
}

/** The sidecar's container name. */
export const sidecarName = 'sidecar';

/** The session's directory as the platform sees it. The sidecar makes its sockets below it. */
export function sessionFiles(directory: string) {
  return {
    agentMcp: join(directory, sessionDirectories.agent, 'mcp'),
    agentHttp: dirname(join(directory, agentHttpSocket())),
    config: join(directory, agentConfigFile()),
    /** Where the agent connects to a server. */
    agentSocket: (server: string) => join(directory, agentServerSocket(server)),
    serverView: (server: string) => join(directory, sessionDirectories.server(server)),
    workspace: (container: string) => join(directory, 'work', container),
    etc: join(directory, 'etc'),
    /** A command that runs the relay for Node. */
    relay: join(directory, 'etc/relay'),
    log: (container: string) => join(directory, 'logs', `${container}.log`),
    logs: join(directory, 'logs'),
    state: join(directory, 'state.json'),
    host: join(directory, 'host.json'),
  };
}

/** A program available in a sandbox, and its path on the machine. */
export interface Programs {
  /** Where Node is installed: `bin/node` is below it. */
  nodePrefix: string;
  /** The built programs of `dist/`. */
  directory: string;
  /** The static relay; null where it does not run: then the one for Node is used. */
  relay: string | null;
  /** `node_modules/.bin` below it is on the PATH. */
  runner: string;
  /** Has in its `node_modules` what the agent `claude` loads; null where that is not installed. */
  claude: string | null;
}

/** Has what an operator installed of agents of others: `node_modules` in a folder of each preset. */
export const acpPackagesOf = ({ directory }: Pick<Programs, 'directory'>): string =>
  join(directory, '../agents/acp/packages');

const systemPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Node below /usr is visible in every sandbox; any other installation is mounted at /opt/node. */
export function nodePrefixInside(nodePrefix: string): string {
  return nodePrefix === '/usr' || nodePrefix.startsWith('/usr/') ? nodePrefix : '/opt/node';
}

export function sandboxLayout(programs: Programs): Layout {
  const nodeBin = join(nodePrefixInside(programs.nodePrefix), 'bin');
  return {
    node: join(nodeBin, 'node'),
    relay: containerPaths.relay,
    scriptedAgent: '/opt/platform/scripted-agent.js',
    claudeAgent: '/opt/platform/claude-agent.js',
    acpAgent: '/opt/platform/acp-agent.js',
    remoteBridge: '/opt/platform/remote-bridge.js',
    modelProgram: '/opt/platform/model-program.js',
    mcpDirectory: agentPaths.mcpDirectory,
    sidecarSocket: agentPaths.sidecarSocket,
    serviceSocket: agentPaths.serviceSocket,
    config: agentPaths.config,
    workspace: containerPaths.workspace,
    path: [...new Set(['/opt/runner/node_modules/.bin', nodeBin, ...systemPath])].join(':'),
  };
}

/**
 * Without a sandbox each container sees the machine's own paths. `server` is null for the agent. Socket
 * paths are relative to the working directory: a socket's path has max 107 bytes, and the session's
 * directory alone may have more.
 */
export function bareLayout(
  programs: Programs,
  directory: string,
  container: string,
  server: string | null,
): Layout {
  const files = sessionFiles(directory);
  const workspace = files.workspace(container);
  const nodeBin = join(programs.nodePrefix, 'bin');
  return {
    node: join(nodeBin, 'node'),
    relay: programs.relay ?? files.relay,
    scriptedAgent: join(programs.directory, 'scripted-agent.js'),
    claudeAgent: join(programs.directory, 'claude-agent.js'),
    acpAgent: join(programs.directory, 'acp-agent.js'),
    remoteBridge: join(programs.directory, 'remote-bridge.js'),
    modelProgram: join(programs.directory, 'model-program.js'),
    mcpDirectory: relative(workspace, server === null ? files.agentMcp : files.serverView(server)),
    sidecarSocket: relative(workspace, join(directory, agentHttpSocket())),
    serviceSocket: relative(workspace, join(directory, serviceSocket())),
    config: files.config,
    workspace,
    path: [join(programs.runner, 'node_modules/.bin'), nodeBin, ...systemPath].join(':'),
  };
}
