/**
 * Paths of the sidecar's sockets, below the session's directory (docs/sidecar.md#sockets). `runtime/` mounts from the same
 * layout.
 */
import { join } from 'node:path';
import { modelSockets } from '../contract/model-access.ts';
import { reportSocketName } from '../contract/process-reports.ts';
import type { ProcessKind } from '../contract/session-process.ts';
import { siblingSocketName } from '../contract/sibling-socket-name.ts';
import { tokenSocketName } from '../contract/token-socket-name.ts';

/** Mounted read-only at `/run/platform` in the agent. */
const agentDirectory = 'agent';

export const agentServerSocket = (server: string) => join(agentDirectory, 'mcp', `${server}.sock`);
export const agentConfigFile = () => join(agentDirectory, 'agent', 'config.json');
/** Where the relay of a service keeps a connection for the next request to it. */
export const serviceSocket = () => join(agentDirectory, 'agent', 'service.sock');
export const agentHttpSocket = () => join(agentDirectory, 'agent', 'sidecar.sock');
/** Where the agent asks a language model. */
export const agentModelSocket = () => join(agentDirectory, 'agent', 'model.sock');
/** In the directory that the session's model container alone sees. */
export const modelSocket = (name: keyof typeof modelSockets) => join('model', modelSockets[name]);
/** Its directory is mounted read-only at `/run/platform/mcp` in that server's container. */
export const relaySocket = (server: string) => join('servers', server, `${server}.sock`);
/** Where a remote server's bridge asks for access tokens; in the same directory. */
export const tokenSocket = (server: string) => join('servers', server, tokenSocketName);
/** Where the agent reaches a sibling. */
export const agentSiblingSocket = (sibling: string) => join(agentDirectory, 'siblings', `${sibling}.sock`);
const reportDirectory = (container: string) => join('reports', container);
/** Where the relay beside a sibling keeps a connection for the agent's next one; in the directory of its report socket. */
export const siblingSocket = (sibling: string) =>
  join(reportDirectory(`sibling-${sibling}`), siblingSocketName);
/** It is there once a sibling was ready: for a sidecar that is started again. */
export const siblingReadyFile = (sibling: string) => join('ready', sibling);
/** Where the parent of a process reports on it; in a directory that no other process sees. */
export function reportSocket(kind: ProcessKind, name: string): string {
  const directory =
    kind === 'server'
      ? join('servers', name)
      : reportDirectory(kind === 'agent' ? 'agent' : `sibling-${name}`);
  return join(directory, reportSocketName);
}
