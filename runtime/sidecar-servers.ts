/** Pure: the sidecar's description of the session's MCP servers, the same on every runtime. */
import { basename } from 'node:path';
import type { FrozenServer } from '../contract/session.ts';
import type { SidecarBoot } from '../contract/sidecar.ts';

/** Commands that download what they run from a registry. */
const packageManagers = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'uv', 'pipx', 'pip']);

export function sidecarServers(servers: readonly FrozenServer[]): SidecarBoot['servers'] {
  return servers.map(({ name, tool_scopes, client_features, network, shape, image_command }) => {
    const command = shape.type === 'command' ? shape.command : (image_command?.[0] ?? '');
    const loads_packages = packageManagers.has(basename(command));
    return { name, tool_scopes, client_features, network, loads_packages };
  });
}
