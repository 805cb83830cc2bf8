/** The SDK's clients get the same through the program as they get from the server itself. */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as EarlierHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { bundleBridge, configFor } from './agent-side.ts';
import { startEarlierToolServer, startModernToolServer, type ToolServer } from './tool-servers.ts';

let program: string;
let servers: Record<string, ToolServer>;
beforeAll(async () => {
  program = bundleBridge();
  servers = {
    'of 2025 with streams': await startEarlierToolServer(),
    'of 2025 with JSON': await startEarlierToolServer({ json: true }),
    'of 2026': await startModernToolServer(),
    'of 2026 that speaks 2025, too': await startModernToolServer({ legacy: 'stateless' }),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
});

const information = { name: 'test', version: '1' };
const stdioTo = (server: ToolServer) => ({
  command: process.execPath,
  args: [resolve(program), JSON.stringify(configFor(server))],
});

/** What the test asks of either line's client. */
interface AnyClient {
  listTools(): Promise<unknown>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getServerVersion(): unknown;
  getServerCapabilities(): unknown;
  close(): Promise<void>;
}

async function modernClient(server: ToolServer, isDirect: boolean): Promise<AnyClient> {
  const client = new Client(information, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    isDirect
      ? new StreamableHTTPClientTransport(new URL(server.url))
      : new StdioClientTransport(stdioTo(server)),
  );
  return client;
}

async function earlierClient(server: ToolServer, isDirect: boolean): Promise<AnyClient> {
  const client = new EarlierClient(information, {});
  await client.connect(isDirect ? new EarlierHttp(new URL(server.url)) : new EarlierStdio(stdioTo(server)));
  return client;
}

/** Everything that a client sees, errors as their texts. */
async function seenBy(client: AnyClient): Promise<unknown[]> {
  const calls = [
    { name: 'echo', arguments: { text: 'ä\n"\u2028' } },
    { name: 'echo', arguments: {} },
    { name: 'count', arguments: { upTo: 3 } },
    { name: 'weather', arguments: { place: 'Köln' } },
    { name: 'nothing', arguments: {} },
  ];
  const seen: unknown[] = [
    client.getServerVersion(),
    client.getServerCapabilities(),
    await client.listTools(),
  ];
  for (const call of calls) {
    seen.push(await client.callTool(call).catch((error: Error) => `${error.name}: ${error.message}`));
  }
  await client.close();
  return seen;
}

describe.each([
  [
    'of 2.4',
    modernClient,
    ['of 2025 with streams', 'of 2025 with JSON', 'of 2026', 'of 2026 that speaks 2025, too'],
  ],
  ['of 1.32', earlierClient, ['of 2025 with streams', 'of 2025 with JSON', 'of 2026 that speaks 2025, too']],
] as const)('the client %s', (_line, connect, names) => {
  it.each(names)('sees the same of the server %s', async (name) => {
    const server = servers[name];
    if (server === undefined) {
      throw new Error(name);
    }
    const direct = await seenBy(await connect(server, true));
    expect(direct).toHaveLength(8);
    expect(await seenBy(await connect(server, false))).toEqual(direct);
  });
});
