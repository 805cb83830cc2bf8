/**
 * The built-in MCP server `platform`: one line per tool, and the tools that the API runs. Clients of both
 * protocol revisions are served.
 */
import type { Duplex } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from 'pino';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { ListedPlatformTool } from '../../contract/platform-tools.ts';
import { emitArtifact } from './emit-artifact.ts';
import { emitError } from './emit-error.ts';
import { emitStatus } from './emit-status.ts';
import { endSession } from './end-session.ts';
import { relayedTool } from './relayed-tools.ts';
import { requestGrant } from './request-grant.ts';
import { requestInput } from './request-input.ts';
import { requestPermission } from './request-permission.ts';
import { DefaultJsonSchemaValidator } from './sdk-shims.ts';
import { share } from './share.ts';
import type { ServedTool, ToolDependencies } from './tool.ts';

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
