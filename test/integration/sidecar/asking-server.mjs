/** A server of the 2025 revision, built with the SDK, whose tools ask the agent for something. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const mcp = new McpServer({ name: 'asking', version: '1' });
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

mcp.registerTool('sample', {}, async () => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'Say something' } }];
  return text(await mcp.server.createMessage({ messages, maxTokens: 10 }));
});
mcp.registerTool('elicit', {}, async () => {
  const requestedSchema = { type: 'object', properties: { choice: { type: 'string' } } };
  const answer = await mcp.server.elicitInput({ message: 'Which one?', requestedSchema });
  await mcp.server.notification({
    method: 'notifications/elicitation/complete',
    params: { elicitationId: 'e' },
  });
  return text(answer);
});
mcp.registerTool('roots', {}, async () => text(await mcp.server.listRoots()));

await mcp.connect(new StdioServerTransport());
