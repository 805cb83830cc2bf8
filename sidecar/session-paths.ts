/** Where the sidecar's sockets are, below the session's directory (design 8; `runtime/` mounts from the same layout). */
import { join } from 'node:path';

/** Mounted read-only at `/run/platform` in the agent. */
const agentDirectory = 'agent';

export const agentServerSocket = (server: string) => join(agentDirectory, 'mcp', `${server}.sock`);
export const agentConfigFile = () => join(agentDirectory, 'agent', 'config.json');
export const agentHttpSocket = () => join(agentDirectory, 'agent', 'sidecar.sock');
/** Its directory is mounted read-only at `/run/platform/mcp` in that server's container. */
export const relaySocket = (server: string) => join('servers', server, `${server}.sock`);
