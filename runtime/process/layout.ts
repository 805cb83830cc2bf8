/** Paths as the processes of a session see them: fixed in a sandbox, real ones without. */
import { join, relative } from 'node:path';
import { agentPaths } from '../../contract/agent-paths.ts';
import { modelSockets } from '../../contract/model-access.ts';
import { reportSocketName } from '../../contract/process-reports.ts';
import { siblingSocketName } from '../../contract/sibling-socket-name.ts';
import { tokenSocketName } from '../../contract/token-socket-name.ts';
import { siblingContainerName } from '../siblings.ts';

/** Where the session's host forwards to a private host, in the directory of the one server that may reach it. */
export const hostSocketName = '.host.sock';

/** Of the model program's own sockets, as its sandbox sees it. */
export const modelDirectoryInside = '/run/platform/model';

/** Where a sibling sees its sockets. */
export const siblingDirectoryInside = '/run/platform-report';

/** Paths as one container sees them. */
export interface Layout {
  node: string;
  /** Runs with an empty environment. */
  relay: string;
  scriptedAgent: string;
  claudeAgent: string;
  remoteBridge: string;
  modelProgram: string;
  /** Directory of the sockets: every server's for the agent, its own for a server. */
  mcpDirectory: string;
  sidecarSocket: string;
  serviceSocket: string;
  modelSocket: string;
  config: string;
  /** Private and writable; working directory and home. */
  workspace: string;
  path: string;
}

/** The session's directory as the platform sees it. The sidecar makes `agent/` and `servers/` sockets below it. */
export function sessionFiles(directory: string) {
  return {
    agentView: join(directory, 'agent'),
    agentMcp: join(directory, 'agent/mcp'),
    agentHttp: join(directory, 'agent/agent'),
    config: join(directory, 'agent/agent/config.json'),
    sidecarSocket: join(directory, 'agent/agent/sidecar.sock'),
    /** Where the relay of a service connects. */
    serviceSocket: join(directory, 'agent/agent/service.sock'),
    /** Where the agent asks its language model. */
    modelSocket: join(directory, 'agent/agent/model.sock'),
    modelView: join(directory, 'model'),
    /** What the model program connects to. */
    ofModelProgram: Object.values(modelSockets).map((name) => join(directory, 'model', name)),
    modelHostSocket: join(directory, 'model', hostSocketName),
    /** Where the agent connects to a server. */
    agentSocket: (server: string) => join(directory, 'agent/mcp', `${server}.sock`),
    serverView: (server: string) => join(directory, 'servers', server),
    /** Where that server's relay connects. */
    relaySocket: (server: string) => join(directory, 'servers', server, `${server}.sock`),
    /** Where the sidecar answers the bridge of a remote server. */
    tokenSocket: (server: string) => join(directory, 'servers', server, tokenSocketName),
    hostSocket: (server: string) => join(directory, 'servers', server, hostSocketName),
    /** Where the agent reaches a sibling. */
    agentSibling: (sibling: string) => join(directory, 'agent/siblings', `${sibling}.sock`),
    /** The directory of the sockets that a sibling's relay connects to. */
    siblingView: (sibling: string) => join(directory, 'reports', siblingContainerName(sibling)),
    siblingSocket: (sibling: string) =>
      join(directory, 'reports', siblingContainerName(sibling), siblingSocketName),
    /** Where the sidecar takes reports on the process of a server or sibling, or else of the agent. */
    reportSocket: ({ server, sibling }: { server: string | null; sibling: { name: string } | null }) => {
      const container = sibling === null ? 'agent' : siblingContainerName(sibling.name);
      return join(
        directory,
        server === null ? join('reports', container) : join('servers', server),
        reportSocketName,
      );
    },
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

const systemPath = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Node below /usr is visible in every sandbox; any other installation is mounted at /opt/node. */
export function nodePrefixInside(nodePrefix: string): string {
  return nodePrefix === '/usr' || nodePrefix.startsWith('/usr/') ? nodePrefix : '/opt/node';
}

export function sandboxLayout(programs: Programs): Layout {
  const nodeBin = join(nodePrefixInside(programs.nodePrefix), 'bin');
  return {
    node: join(nodeBin, 'node'),
    relay: '/opt/platform/bin/relay',
    scriptedAgent: '/opt/platform/scripted-agent.js',
    claudeAgent: '/opt/platform/claude-agent.js',
    remoteBridge: '/opt/platform/remote-bridge.js',
    modelProgram: '/opt/platform/model-program.js',
    mcpDirectory: agentPaths.mcpDirectory,
    sidecarSocket: agentPaths.sidecarSocket,
    serviceSocket: agentPaths.serviceSocket,
    modelSocket: agentPaths.modelSocket,
    config: agentPaths.config,
    workspace: '/workspace',
    path: [...new Set(['/opt/runner/node_modules/.bin', nodeBin, ...systemPath])].join(':'),
  };
}

/**
 * Without a sandbox each container sees the machine's own paths. `server` is null for the agent. Socket paths are relative
 * to the working directory: a socket's path has max 107 bytes, and the session's directory alone may have more.
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
    remoteBridge: join(programs.directory, 'remote-bridge.js'),
    modelProgram: join(programs.directory, 'model-program.js'),
    mcpDirectory: relative(workspace, server === null ? files.agentMcp : files.serverView(server)),
    sidecarSocket: relative(workspace, files.sidecarSocket),
    serviceSocket: relative(workspace, files.serviceSocket),
    modelSocket: relative(workspace, files.modelSocket),
    config: files.config,
    workspace,
    path: [join(programs.runner, 'node_modules/.bin'), nodeBin, ...systemPath].join(':'),
  };
}
