/**
 * The client that the official scenarios test beyond signing in: the SDK's own client with the platform's
 * bridge between it and the server, as between an agent and a remote server.
 * `node bridge-client.js BRIDGE URL`.
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';

const [bridge = '', address = ''] = process.argv.slice(2);
const schema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).optional(),
});
const given = z
  .looseObject({
    toolCalls: z
      .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }))
      .optional(),
  })
  .parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));

/** A value of the type that the schema names. */
const examples: Record<string, unknown> = { string: 'a', number: 5, integer: 5, boolean: true, array: [] };

interface Tool {
  name: string;
  inputSchema: unknown;
}

/** An argument `schema` is that of the other tool, as it was received. */
function argumentsFor(tool: Tool, tools: readonly Tool[]): Record<string, unknown> {
  const { properties = {} } = schema.parse(tool.inputSchema);
  const other = tools.find(({ name }) => name !== tool.name)?.inputSchema;
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type = 'object' }]) => [
      name,
      name === 'schema' ? other : (examples[type] ?? {}),
    ]),
  );
}

const url = new URL(address);
const client = new Client(
  { name: 'gatepost', version: '1' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    versionNegotiation: {
      mode: process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2025-11-25' ? 'legacy' : 'auto',
    },
  },
);
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
const config = { url: url.href, headers: [], private_hosts: { [url.host]: 'http' }, token_socket: null };
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [bridge, JSON.stringify(config)] }),
);
const offered = client.getServerCapabilities() ?? {};
if (offered.tools !== undefined) {
  const { tools } = await client.listTools();
  const calls =
    given.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
  for (const call of calls) {
    // What a server refuses is an answer, too.
    await client.callTool({ name: call.name, arguments: call.arguments ?? {} }).catch(() => undefined);
  }
}
if (offered.resources !== undefined) {
  const { resources } = await client.listResources();
  await Promise.all(resources.map(({ uri }) => client.readResource({ uri })));
}
if (offered.prompts !== undefined) {
  const { prompts } = await client.listPrompts();
  await Promise.all(prompts.map(({ name }) => client.getPrompt({ name })));
}
await client.close();
