/** Pure: what a session's sidecar boots with, and the configuration of its agent, on every runtime. */

import { basename } from 'node:path';
import type { AgentConfig } from '../contract/agent-contract.ts';
import type { ModelDialect } from '../contract/model-access.ts';
import { platformServerName } from '../contract/platform-server-name.ts';
import type { FrozenConfiguration, FrozenServer } from '../contract/session.ts';
import type { SidecarBoot } from '../contract/sidecar.ts';
import { type SiblingSettings, siblingAccessOf } from './siblings.ts';
import type { LaunchSecrets } from './workload.ts';

/** What a frozen configuration says of the session, wherever it runs. */
export interface SessionDescription {
  sessionId: string;
  workspaceId: string;
  agent: Omit<AgentConfig, 'mcpServers'>;
  servers: SidecarBoot['servers'];
  siblings: SiblingSettings[];
  hasOperator: boolean;
  logToolPayloads: boolean;
  /** Null without model access. */
  modelDialect: ModelDialect | null;
  /** Null for a session. */
  service: ServiceDescription | null;
  /** Absent where the agent has none. */
  repository?: RepositoryDescription;
}

/** What a session's start fetches for its agent. */
export interface RepositoryDescription {
  name: string;
  url: string;
  ref: string;
}

/** Of the workload of a service preview, whose agent is the service. */
export interface ServiceDescription {
  /** On which it listens. */
  port: number;
  /** The session that deployed the preview; null when it is not known. */
  sessionId: string | null;
}

export interface BootSettings {
  /** How sidecars reach the API. */
  apiUrl: string;
  auditSync: SidecarBoot['audit_sync'];
  sidecarLimits: SidecarBoot['limits'];
}

/** Where a runtime has the sidecar's things. */
type BootPlaces = Pick<SidecarBoot, 'session_directory' | 'agent_config' | 'control_host' | 'control_port'>;

/** Without its token and key. */
export type UnkeyedBoot = Omit<SidecarBoot, keyof LaunchSecrets['sidecar']>;

/** Commands that download what they run from a registry. */
const packageManagers = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'uv', 'pipx', 'pip']);

export function sessionDescription(configuration: FrozenConfiguration): SessionDescription {
  const { agent, prompt, session_id, workspace_id, servers, siblings, service, has_operator } = configuration;
  const { id, name, kind, instructions, model } = agent;
  return {
    sessionId: session_id,
    workspaceId: workspace_id,
    agent: {
      ...{ session_id, agent: { id, name, kind, instructions, model }, prompt },
      ...(has_operator ? {} : { has_operator }),
    },
    servers: servers.map(sidecarServer),
    siblings: siblings.map(({ name, port, ready }) => ({ name, port, ready })),
    hasOperator: has_operator,
    logToolPayloads: configuration.log_tool_payloads,
    modelDialect: service === undefined ? (agent.model_access?.dialect ?? null) : null,
    service: service === undefined ? null : { port: service.port, sessionId: service.session_id ?? null },
    ...(agent.repository === undefined || service !== undefined
      ? {}
      : { repository: repositoryOf(agent.repository) }),
  };
}

const repositoryOf = ({ name, url, ref }: RepositoryDescription): RepositoryDescription => ({
  name,
  url,
  ref,
});

function sidecarServer(server: FrozenServer): SidecarBoot['servers'][number] {
  const { name, entry_version, tool_scopes, client_features, network, shape, image_command } = server;
  const { changed_tools, unlisted_tools, listed_tools } = server;
  const command = shape.type === 'command' ? shape.command : (image_command?.[0] ?? '');
  const loads_packages = packageManagers.has(basename(command));
  const toolPolicy = { changed_tools, unlisted_tools, listed_tools };
  const access_tokens = server.sign_in === 'oauth';
  const policy = { tool_scopes, client_features, ...toolPolicy, network };
  const { start_seconds } = server;
  const limit = start_seconds === null ? {} : { handshake_timeout_ms: start_seconds * 1000 };
  return { name, entry_version, ...policy, ...limit, loads_packages, access_tokens };
}

/**
 * The agent's `config.json`: each server is reached through a relay to its socket, with an empty environment.
 */
export function agentConfigOf(
  { agent, servers }: Pick<SessionDescription, 'agent' | 'servers'>,
  { relay, mcpDirectory }: { relay: string; mcpDirectory: string },
): AgentConfig {
  const launch = (server: string) => ({
    command: relay,
    args: ['-', `UNIX-CONNECT:${mcpDirectory}/${server}.sock`],
    env: {},
  });
  const names = [platformServerName, ...servers.map(({ name }) => name)];
  return { ...agent, mcpServers: Object.fromEntries(names.map((name) => [name, launch(name)])) };
}

export function renderBoot(
  { sessionId, agent: { agent }, servers, siblings, service, ...facts }: SessionDescription,
  { apiUrl, auditSync, sidecarLimits }: BootSettings,
  { session_directory, agent_config, control_host, control_port }: BootPlaces,
): UnkeyedBoot {
  return {
    session_id: sessionId,
    agent: { id: agent.id, name: agent.name },
    api_url: apiUrl,
    session_directory,
    agent_config,
    control_host,
    control_port,
    servers,
    siblings: siblings.map(({ name }) => name),
    sibling_access: siblingAccessOf(siblings),
    ...(facts.modelDialect !== null ? { model_access: true as const } : {}),
    ...(service === null ? {} : { service: { port: service.port } }),
    has_operator: facts.hasOperator,
    log_tool_payloads: facts.logToolPayloads,
    audit_sync: auditSync,
    limits: sidecarLimits,
  };
}

/** The whole boot, which holds the sidecar's token and key. */
export const keyedBoot = (boot: UnkeyedBoot, { sidecar }: LaunchSecrets): SidecarBoot => ({
  ...boot,
  ...sidecar,
});
