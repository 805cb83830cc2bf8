/**
 * Paths of a session's sockets, below its directory (docs/sidecar.md#sockets): the sidecar makes them, and a
 * runtime mounts each directory into the one container that sees it.
 */
import { modelSockets } from './model-access.ts';
import { reportSocketName } from './process-reports.ts';
import type { ProcessKind } from './session-process.ts';
import { siblingSocketName } from './sibling-socket-name.ts';
import { tokenSocketName } from './token-socket-name.ts';

export const siblingContainerName = (sibling: string) => `sibling-${sibling}`;

export const sessionDirectories = {
  /** Mounted read-only at `/run/platform` in the agent. */
  agent: 'agent',
  /** At `/run/platform/mcp` in that server's container. */
  server: (server: string) => `servers/${server}`,
  /** At `/run/platform/model` in the model container. */
  model: 'model',
  /** At `/run/platform-report` in the agent's container or a sibling's. */
  report: (container: string) => `reports/${container}`,
} as const;

const { agent, server: serverDirectory, model, report } = sessionDirectories;

export const agentServerSocket = (server: string) => `${agent}/mcp/${server}.sock`;
export const agentConfigFile = () => `${agent}/agent/config.json`;
/** Where the relay of a service keeps a connection for the next request to it. */
export const serviceSocket = () => `${agent}/agent/service.sock`;
export const agentHttpSocket = () => `${agent}/agent/sidecar.sock`;
/** Where the agent asks a language model. */
export const agentModelSocket = () => `${agent}/agent/model.sock`;
/** In the directory that the session's model container alone sees. */
export const modelSocket = (name: keyof typeof modelSockets) => `${model}/${modelSockets[name]}`;
export const relaySocket = (server: string) => `${serverDirectory(server)}/${server}.sock`;
/** Where a remote server's bridge asks for access tokens; in the same directory. */
export const tokenSocket = (server: string) => `${serverDirectory(server)}/${tokenSocketName}`;
/** Where the agent reaches a sibling. */
export const agentSiblingSocket = (sibling: string) => `${agent}/siblings/${sibling}.sock`;
/**
 * Where the relay beside a sibling keeps a connection for the agent's next one; in the
 * directory of its report socket.
 */
export const siblingSocket = (sibling: string) =>
  `${report(siblingContainerName(sibling))}/${siblingSocketName}`;
/** It is there once a sibling was ready: for a sidecar that is started again. */
export const siblingReadyFile = (sibling: string) => `ready/${sibling}`;
/** Where the parent of a process reports on it; in a directory that no other process sees. */
export function reportSocket(kind: ProcessKind, name: string): string {
  const container = kind === 'agent' ? 'agent' : siblingContainerName(name);
  return `${kind === 'server' ? serverDirectory(name) : report(container)}/${reportSocketName}`;
}
