/**
 * Assembles one session's sidecar: sockets first, then the control port, then the ready report to the
 * platform (docs/sidecar.md). Servers and the platform can be reached only through what is set up here.
 */
import type { Logger } from 'pino';
import { maxToolMessageValues } from '../contract/json-values.ts';
import { platformServerName } from '../contract/platform-server-name.ts';
import { agentHttpSocket } from '../contract/session-paths.ts';
import type { SidecarBoot } from '../contract/sidecar.ts';
import { createByteBudget } from '../lib/limits/byte-budget.ts';
import { createSemaphore } from '../lib/limits/semaphore.ts';
import { createTokenBucket } from '../lib/limits/token-bucket.ts';
import { openTokenSockets } from './access-tokens/token-socket.ts';
import { createAgentHttp } from './agent-http/agent-http.ts';
import { writeAgentConfig } from './agent-http/write-agent-config.ts';
import { openAuditTrail } from './audit/audit-trail.ts';
import { createControlHttp } from './control/control-http.ts';
import { listenForPlatform } from './control/listen-for-platform.ts';
import { createGateMap, type GateMap } from './gate/gate-map.ts';
import { closeHttp, listenOnPath } from './http/listen-http.ts';
import { createInbox } from './inputs/inbox.ts';
import { largeAnswerBytes } from './json-rpc/lines.ts';
import { LiveText } from './live-text/live-text.ts';
import { createMetrics } from './metrics.ts';
import { openModelSockets } from './model-access/model-sockets.ts';
import { createCheckQueue } from './platform-api/check-queue.ts';
import { createPlatformApi, limitPlatformApi, type PlatformApi } from './platform-api/platform-api.ts';
import { createRelayedTools } from './platform-tools/platform-server.ts';
import type { ToolDependencies } from './platform-tools/tool.ts';
import { startOfLocalServer } from './processes/server-start.ts';
import { type ProcessTracking, trackProcesses } from './processes/track-processes.ts';
import { largeMessageBytes } from './server-link/agent-lines.ts';
import { createCallGate } from './server-link/call-gate.ts';
import { createLastRefusals } from './server-link/last-refusals.ts';
import type { LinkDependencies } from './server-link/link-dependencies.ts';
import { type Link, openExternalLink, openLocalLink } from './server-link/open-link.ts';
import { createLocalSide } from './server-link/server-side.ts';
import { awaitedSiblings } from './siblings/awaited-siblings.ts';
import { openSiblingSockets } from './siblings/sibling-sockets.ts';
import { siblingNotReady } from './siblings/until-ready.ts';
import { createToolLists, type ToolLists } from './tool-lists/tool-lists.ts';

export interface RunningSidecar {
  controlUrl: string;
  /** Resolves when the platform knows that this sidecar is ready; rejects when the platform refuses it. */
  ready: Promise<void>;
  /** Stops taking connections, ends the open ones, and hands over the audit trail, within a few seconds. */
  close(): Promise<void>;
}

/** Max calls that are open or not reported to the platform yet; one more is refused. */
const auditCapacity = { calls: 10_000, bytes: 16 * 1024 * 1024 };
const auditCloseLimitMs = 5000;
const processCloseLimitMs = 3000;
const listCloseLimitMs = 3000;
const platformConnections = 8;
/** Max wait of a throttled agent's calls before they are refused. */
const callMaxWaitMs = 10_000;

/**
 * Starts in the current directory, which must be the session's. Throws when a socket or
 * the port is unavailable.
 */
export async function startSidecar(boot: SidecarBoot, logger: Logger): Promise<RunningSidecar> {
  const dependencies = await createDependencies(boot, logger);
  const processes = await trackProcesses(boot, dependencies);
  const tokenSockets = await openTokenSockets(boot.servers, dependencies.api);
  const modelSockets = boot.model_access === true ? await openModelSockets(dependencies.api) : null;
  const links = await openLinks(boot, dependencies, processes);
  const { api, inbox, lastRefusals, metrics, audit, toolLists } = dependencies;
  const { limits, session_id, control_key } = boot;

  const liveText = new LiveText(api);
  const agentHttp = createAgentHttp({
    api,
    liveText,
    inbox,
    lastRefusals,
    limits: { eventBytes: limits.line_bytes, artifactBytes: limits.artifact_bytes },
  });
  if (boot.agent_config !== null) {
    await writeAgentConfig(boot.agent_config);
  }
  const siblingSockets = await openSiblingSockets(boot);
  const notReady = siblingNotReady(boot, processes.siblings);
  if (awaitedSiblings(boot).length === 0) {
    await listenOnPath(agentHttp, agentHttpSocket());
  }
  const control = createControlHttp({ controlKey: control_key, inbox, metrics, sessionId: session_id });
  const controlUrl = await listenForPlatform(control, boot.control_host, boot.control_port);

  const stopping = new AbortController();
  const { signal } = stopping;
  /**
   * The platform hears that this sidecar is ready when the agent may start; without an end when it may not.
   */
  const startAgent = async () => {
    const report = await notReady;
    if (report !== null) {
      await api.reportSibling(report, signal);
      return new Promise<never>(() => undefined);
    }
    if (!agentHttp.listening) {
      await listenOnPath(agentHttp, agentHttpSocket());
    }
    return api.ready(controlUrl, signal);
  };
  return {
    controlUrl,
    ready: startAgent().then(({ inputs }) => inbox.accept(inputs)),
    async close() {
      stopping.abort();
      const told = liveText.close();
      const servers = [agentHttp, control, ...tokenSockets];
      const sockets = [...links, ...siblingSockets, ...(modelSockets === null ? [] : [modelSockets])];
      await Promise.all([...sockets.map((each) => each.close()), ...servers.map(closeHttp)]);
      const lists = [...toolLists.values()].map((each) => each.close(listCloseLimitMs));
      await Promise.all([told, audit.close(), processes.close(processCloseLimitMs), ...lists]);
    },
  };
}

type Dependencies = Awaited<ReturnType<typeof createDependencies>>;

async function createDependencies(boot: SidecarBoot, logger: Logger) {
  const { api_url: apiUrl, session_id: sessionId, internal_token: token } = boot;
  const api = limitPlatformApi(createPlatformApi({ apiUrl, sessionId, token }), boot.limits);
  const gateMaps = new Map(boot.servers.map((server) => [server.name, gateMapOf(server)]));
  const toolLists = new Map(boot.servers.map((server) => [server.name, toolListsOf(server, api, logger)]));
  const metrics = createMetrics();
  const lastRefusals = createLastRefusals();
  const audit = await openAuditTrail({
    api,
    metrics,
    logger,
    capacity: auditCapacity,
    sessionCalls: boot.limits.calls_per_session,
    gatedTool: (server, tool) => gatedToolOf(gateMaps.get(server), tool),
    logPayloads: boot.log_tool_payloads,
    closeLimitMs: auditCloseLimitMs,
    sync: boot.audit_sync,
  });
  const gate = createCallGate({ checkCall: createCheckQueue(api) }, lastRefusals);
  const callBucket = createTokenBucket({ perMinute: boot.limits.calls_per_minute, maxWaitMs: callMaxWaitMs });
  const largeMessages = createByteBudget(largeMessageBytes);
  const largeAnswers = createByteBudget(largeAnswerBytes);
  const waits = createSemaphore({ permits: boot.limits.concurrent_waits });
  return {
    ...{
      api,
      metrics,
      lastRefusals,
      audit,
      gate,
      gateMaps,
      toolLists,
      callBucket,
      largeMessages,
      largeAnswers,
      waits,
      logger,
    },
    inbox: createInbox(),
  };
}

const gateMapOf = ({ tool_scopes, unlisted_tools, listed_tools }: SidecarBoot['servers'][number]): GateMap =>
  createGateMap(tool_scopes, unlisted_tools === 'refuse' ? new Set(listed_tools) : null);

const toolListsOf = (
  { name, changed_tools }: SidecarBoot['servers'][number],
  api: PlatformApi,
  logger: Logger,
): ToolLists => createToolLists({ server: name, refusesChanges: changed_tools === 'refuse', api, logger });

/** The gated tool that a name is, or imitates. */
function gatedToolOf(gates: GateMap | undefined, tool: string): string | null {
  const gate = gates?.lookUp(tool);
  if (gate?.kind === 'lookalike') {
    return gate.imitates;
  }
  return gate?.kind === 'gated' ? tool : null;
}

function openLinks(
  boot: SidecarBoot,
  dependencies: Dependencies,
  processes: ProcessTracking,
): Promise<Link[]> {
  const { gate, gateMaps, toolLists, audit, callBucket, largeMessages, largeAnswers, metrics, logger } =
    dependencies;
  const { line_bytes, answer_bytes, server_connect_timeout_ms, call_timeout_ms } = boot.limits;
  const linkDependencies = ({
    name: server,
    client_features,
    entry_version,
  }: Pick<SidecarBoot['servers'][number], 'name' | 'client_features'> & { entry_version?: number }): Omit<
    LinkDependencies,
    'side' | 'startServer'
  > => ({
    server,
    entryVersion: entry_version,
    tools: gateMaps.get(server) ?? createGateMap({}),
    toolLists: toolLists.get(server) ?? null,
    clientFeatures: new Set(client_features),
    gate,
    audit,
    callBucket,
    largeMessages,
    largeAnswers,
    metrics,
    logger,
    limits: {
      lineBytes: line_bytes,
      answerBytes: answer_bytes,
      // The platform's own tools are the only server that parses messages in this process.
      messageValues: server === platformServerName ? maxToolMessageValues : Number.POSITIVE_INFINITY,
      connectTimeoutMs: server_connect_timeout_ms,
      // A tool of the platform has its own timeout.
      callTimeoutMs: server === platformServerName ? 0 : call_timeout_ms,
    },
  });
  const toolDependencies: ToolDependencies = {
    ...dependencies,
    relayedTools: createRelayedTools(dependencies.api, logger),
    lineBytes: line_bytes,
    inlineArtifactBytes: boot.limits.inline_artifact_bytes,
    hasOperator: boot.has_operator,
    maxWaitSeconds: boot.limits.request_input_wait_seconds,
  };
  const platformServer = { name: platformServerName, client_features: [] };
  const side = createLocalSide(async (connection) => {
    // Loaded when an agent connects to it: the SDK takes as much memory as the rest of an idle sidecar.
    const { servePlatformTools } = await import('./platform-tools/platform-server.ts');
    servePlatformTools(connection, toolDependencies, logger);
  });
  return Promise.all([
    openLocalLink(
      { ...linkDependencies(platformServer), side, startServer: startOfLocalServer },
      platformConnections,
    ),
    ...boot.servers.map((server) =>
      openExternalLink({ ...linkDependencies(server), startServer: processes.startServer(server) }),
    ),
  ]);
}
