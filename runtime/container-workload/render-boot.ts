/** Pure: what the sidecar of a container workload boots with, without its token and key. */
import type { AgentConfig } from '../../contract/agent-contract.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { sidecarServers } from '../sidecar-servers.ts';
import { containerPaths } from './container-workload.ts';

export interface BootSettings {
  /** How sidecars reach the API. */
  apiUrl: string;
  sidecarLimits: SidecarBoot['limits'];
}

/** The same in every session: the network is the session's own. */
export const controlPort = 7070;

export function renderBoot(
  configuration: FrozenConfiguration,
  { apiUrl, sidecarLimits }: BootSettings,
): Omit<SidecarBoot, 'internal_token' | 'control_key'> {
  const { agent, servers, siblings } = configuration;
  return {
    session_id: configuration.session_id,
    agent: { id: agent.id, name: agent.name },
    api_url: apiUrl,
    session_directory: containerPaths.session,
    agent_config: agentConfigOf(configuration),
    control_host: '0.0.0.0',
    control_port: controlPort,
    servers: sidecarServers(servers),
    siblings: siblings.map(({ name }) => name),
    log_tool_payloads: configuration.log_tool_payloads,
    limits: sidecarLimits,
  };
}

/** Each server is reached through a relay to its socket, with an empty environment (spec, Runtime behaviour). */
function agentConfigOf({ agent, servers, prompt, session_id }: FrozenConfiguration): AgentConfig {
  const { id, name, kind, instructions, model } = agent;
  const relay = (server: string) => ({
    command: containerPaths.relay,
    args: ['-', `UNIX-CONNECT:${containerPaths.mcp}/${server}.sock`],
    env: {},
  });
  const names = ['platform', ...servers.map((server) => server.name)];
  return {
    session_id,
    agent: { id, name, kind, instructions, model },
    prompt,
    mcpServers: Object.fromEntries(names.map((server) => [server, relay(server)])),
  };
}
