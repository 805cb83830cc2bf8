/**
 * The built-in MCP server `platform`: one line per tool, and the tools that the API runs, of which this side
 * of a call passes it and its answer on. Clients of both protocol revisions are served.
 */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from 'pino';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { ListedPlatformTool } from '../../contract/platform-tools.ts';
import { productSlug } from '../../contract/product-name.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { emitArtifact } from './emit-artifact.ts';
import { emitError } from './emit-error.ts';
import { emitStatus } from './emit-status.ts';
import { endSession } from './end-session.ts';
import { requestGrant } from './request-grant.ts';
import { requestInput } from './request-input.ts';
import { requestPermission } from './request-permission.ts';
import { DefaultJsonSchemaValidator } from './sdk-shims.ts';
import { share } from './share.ts';
import { type ServedTool, type ToolDependencies, ToolFailure, toolResult } from './tool.ts';

const ownTools: readonly ServedTool[] = [
  emitStatus,
  emitArtifact,
  requestInput,
  emitError,
  share,
  requestPermission,
  requestGrant,
  endSession,
];

const ownNames = new Set(ownTools.map(({ name }) => name));

/** A tool of the API never takes the place of one that is served here. */
function relayedBeside(listed: readonly ListedPlatformTool[]): ServedTool[] {
  const byName = new Map(listed.map((tool) => [tool.name, tool]));
  return [...byName.values()].filter(({ name }) => !ownNames.has(name)).map(relayedTool);
}

/** Serves one connection of the agent until it ends. */
export function servePlatformTools(connection: Duplex, dependencies: ToolDependencies, logger: Logger): void {
  const createServer = async () => {
    const relayed = relayedBeside(await dependencies.relayedTools.list());
    const server = new McpServer(
      { name: platformServerName, version: '1' },
      { capabilities: { tools: {} }, jsonSchemaValidator: new DefaultJsonSchemaValidator() },
    );
    for (const tool of [...ownTools, ...relayed]) {
      tool.register(server, dependencies);
    }
    return server;
  };
  serveStdio(createServer, {
    transport: new StdioServerTransport(connection, connection),
    // Its message may quote what the agent sent.
    onerror: (error) => logger.debug({ error: error.name }, 'platform tools: a connection had an error'),
  });
}

export interface RelayedTools {
  /** Empty where the platform does not say them in time: the next connection asks again. */
  list(): Promise<readonly ListedPlatformTool[]>;
}

/** A connection waits for the list no longer than that: an agent must not fail because the API restarts. */
const defaultWaitMs = 5000;
/** What one connection gave up waiting for may still serve the next. */
const askLimitMs = 30_000;

export function createRelayedTools(
  api: Pick<PlatformApi, 'listTools'>,
  logger: Logger,
  { waitMs = defaultWaitMs }: { waitMs?: number } = {},
): RelayedTools {
  let known: readonly ListedPlatformTool[] | null = null;
  let asking: Promise<readonly ListedPlatformTool[]> | null = null;

  const ask = async (): Promise<readonly ListedPlatformTool[]> => {
    try {
      known = await api.listTools(askLimitMs);
      return known;
    } catch (error) {
      logger.warn(
        { reason: error instanceof Error ? error.message : 'unknown' },
        'the platform lists no tools of its own; the agent has those of the sidecar',
      );
      return [];
    } finally {
      asking = null;
    }
  };

  return {
    async list() {
      if (known !== null) {
        return known;
      }
      asking ??= ask();
      return abandonAfter(waitMs, asking, () => []);
    },
  };
}

export function relayedTool(tool: ListedPlatformTool): ServedTool {
  const { name, title, description, annotations } = tool;
  const schemas = { inputSchema: shown(tool.input_schema), outputSchema: shown(tool.output_schema) };
  return {
    name,
    register(server, dependencies) {
      server.registerTool(name, { title, description, annotations, ...schemas }, (given) =>
        toolResult(() => relay(name, given, dependencies)),
      );
    },
  };
}

/** Shown to the agent, and satisfied by everything: two validators could differ. */
const shown = (schema: Record<string, unknown>): StandardSchemaWithJSON => ({
  '~standard': {
    version: 1,
    vendor: productSlug,
    validate: (value) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

/** Throws ToolFailure with the code that the tool failed with, and what the platform's interface throws. */
async function relay(
  name: string,
  given: unknown,
  { api, lineBytes }: Pick<ToolDependencies, 'api' | 'lineBytes'>,
): Promise<Record<string, unknown>> {
  const infinite = pathToInfinity(given);
  if (infinite !== null) {
    throw new ToolFailure('validation_failed', `${infinite}: is too large for a number: send it as text`);
  }
  const call = { call_id: randomUUID(), name, arguments: typeof given === 'object' ? { ...given } : {} };
  const answer = await api.callTool(call);
  if (answer.status === 'failed') {
    throw new ToolFailure(answer.code, answer.message);
  }
  if (messageBytes(answer.result) > lineBytes) {
    throw new ToolFailure('too_large', `the answer has more than ${lineBytes} bytes; ask for less`);
  }
  return answer.result;
}

/**
 * Such as `1e400`, which JSON may hold: it would leave as null. The place as a dotted path;
 * null when there is none.
 */
function pathToInfinity(value: unknown, path: readonly string[] = []): string | null {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : path.join('.');
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    const found = pathToInfinity(inner, [...path, key]);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** What surrounds a result in the message: its own members and the id. */
const surroundingBytes = 2048;

/** A message has the result as text within JSON, and as it is. */
function messageBytes(result: Record<string, unknown>): number {
  const text = JSON.stringify(result);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text)) + surroundingBytes;
}
