/**
 * Pure: what a session's sidecar boots with, its limits among it, the configuration of its agent, and how
 * that reaches its siblings and waits for them, on every runtime.
 */
import { basename } from 'node:path';
import type * as z from 'zod';
import type { AgentConfig } from '../contract/agent-contract.ts';
import { agentPaths } from '../contract/agent-paths.ts';
import type { ModelDialect } from '../contract/model-access.ts';
import { platformServerName } from '../contract/platform-server-name.ts';
import { reportSocketName } from '../contract/process-reports.ts';
import type { FrozenConfiguration, FrozenServer, FrozenSibling } from '../contract/session.ts';
import { siblingVariables } from '../contract/sibling.ts';
import { siblingSocketName } from '../contract/sibling-socket-name.ts';
import { type SiblingAccess, type SidecarBoot, sidecarRates } from '../contract/sidecar.ts';
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

export type SiblingSettings = Pick<FrozenSibling, 'name' | 'port' | 'ready'>;

/** What the sidecar does for them; empty when it does nothing. */
export const siblingAccessOf = (siblings: readonly SiblingSettings[]): SiblingAccess[] =>
  siblings
    .filter(({ port, ready }) => port !== undefined || ready !== undefined)
    .map(({ name, port, ready }) => ({
      name,
      listens: port !== undefined,
      ready_seconds: ready?.timeout_seconds ?? null,
    }));

const socketOf = (name: string) => `${agentPaths.siblingDirectory}/${name}.sock`;

/**
 * Of `relay run` of an agent that has a network of its own: its siblings are at the
 * same ports of its loopback.
 */
export const listenForSiblings = (siblings: readonly SiblingSettings[]): string[] =>
  siblings.flatMap(({ name, port }) => (port === undefined ? [] : ['--listen', `${port}=${socketOf(name)}`]));

/** What the agent is told. */
export const siblingsEnvironment = (
  siblings: readonly SiblingSettings[],
  isOnLoopback: boolean,
): Record<string, string> =>
  Object.assign(
    {},
    ...siblings.map(({ name, port }) =>
      port === undefined
        ? {}
        : siblingVariables(name, {
            socket: socketOf(name),
            address: isOnLoopback ? `127.0.0.1:${port}` : null,
          }),
    ),
  );

/** Of `relay run` of a sibling, which sees its sockets in this directory. */
export function siblingRelay({ port, ready }: SiblingSettings, directory: string): string[] {
  const dialed =
    port === undefined ? [] : ['--dial', `${directory}/${siblingSocketName}`, '--port', String(port)];
  return [...dialed, ...readyArguments(port, ready)];
}

/** Of an agent or sibling, or beside a server's own socket. */
export const reportSocketIn = (directory: string) => `${directory}/${reportSocketName}`;

function readyArguments(port: SiblingSettings['port'], ready: SiblingSettings['ready']): string[] {
  switch (ready?.type) {
    case undefined:
      return [];
    case 'port':
      return port === undefined ? [] : ['--ready-port', String(port)];
    case 'command':
      return [ready.command, ...ready.args].flatMap((each) => ['--ready-argument', each]);
  }
}

/** The limits of the configuration that a sidecar enforces. */
export type SidecarLimitSettings = {
  LIMIT_LINE_BYTES: number;
  LIMIT_ARTIFACT_BYTES: number;
  SERVER_HANDSHAKE_SECONDS: number;
  LIMIT_SESSION_CALLS: number;
  LIMIT_SESSION_CONCURRENT_REQUESTS: number;
  LIMIT_SESSION_CONCURRENT_UPLOADS: number;
  RATE_SESSION_BYTES_PER_MINUTE: number;
} & { [Field in keyof typeof sidecarRates.shape as `RATE_SESSION_${Uppercase<Field>}`]: number };

/** Limits of the sidecar on every runtime. */
export const sidecarLimits = (limits: SidecarLimitSettings): SidecarBoot['limits'] => ({
  line_bytes: limits.LIMIT_LINE_BYTES,
  // Clients of the official SDKs take a little more.
  answer_bytes: 10_000_000,
  inline_artifact_bytes: 512 * 1024,
  artifact_bytes: limits.LIMIT_ARTIFACT_BYTES,
  request_input_wait_seconds: 300,
  server_connect_timeout_ms: 10_000,
  server_handshake_timeout_ms: limits.SERVER_HANDSHAKE_SECONDS * 1000,
  // From a tool call, or the progress that its server last reported of it, until its answer.
  call_timeout_ms: 3_600_000,
  ...ratesOf(limits),
  calls_per_session: limits.LIMIT_SESSION_CALLS,
  sent_bytes_per_minute: halfOf(limits.RATE_SESSION_BYTES_PER_MINUTE),
  concurrent_requests: halfOf(limits.LIMIT_SESSION_CONCURRENT_REQUESTS),
  concurrent_uploads: limits.LIMIT_SESSION_CONCURRENT_UPLOADS,
  // Calls that wait for a human.
  concurrent_waits: 16,
});

/** Each by its name. Throws a ZodError for one that is no count. */
function ratesOf(limits: SidecarLimitSettings): z.infer<typeof sidecarRates> {
  const settings = new Map<string, number>(Object.entries(limits));
  const fields = Object.keys(sidecarRates.shape);
  return sidecarRates.parse(
    Object.fromEntries(fields.map((field) => [field, settings.get(`RATE_SESSION_${field.toUpperCase()}`)])),
  );
}

/** The other half is reserved for the sidecar's own reports. */
const halfOf = (limit: number) => Math.max(1, Math.floor(limit / 2));
