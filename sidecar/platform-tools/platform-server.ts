/** The built-in MCP server `platform`: one line per tool. Clients of both protocol revisions are served. */
import type { Duplex } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from 'pino';
import { platformServerName } from '../../contract/platform-server-name.ts';
import { emitArtifact } from './emit-artifact.ts';
import { emitError } from './emit-error.ts';
import { emitStatus } from './emit-status.ts';
import { endSession } from './end-session.ts';
import { requestGrant } from './request-grant.ts';
import { requestInput } from './request-input.ts';
import { requestPermission } from './request-permission.ts';
import { DefaultJsonSchemaValidator } from './sdk-shims.ts';
import { share } from './share.ts';
import type { RegisterTool, ToolDependencies } from './tool.ts';

const tools: RegisterTool[] = [
  emitStatus,
  emitArtifact,
  requestInput,
  emitError,
  share,
  requestPermission,
  requestGrant,
  endSession,
];

/** Serves one connection of the agent until it ends. */
export function servePlatformTools(connection: Duplex, dependencies: ToolDependencies, logger: Logger): void {
  const createServer = () => {
    const server = new McpServer(
      { name: platformServerName, version: '1' },
      { capabilities: { tools: {} }, jsonSchemaValidator: new DefaultJsonSchemaValidator() },
    );
    for (const register of tools) {
      register(server, dependencies);
    }
    return server;
  };
  serveStdio(createServer, {
    transport: new StdioServerTransport(connection, connection),
    // Its message may quote what the agent sent.
    onerror: (error) => logger.debug({ error: error.name }, 'platform tools: a connection had an error'),
  });
}
