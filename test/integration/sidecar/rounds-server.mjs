/** A server of the 2026 revision, built with the SDK, whose tools need several rounds of input. */
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const question = inputRequired.elicit({
  message: 'Which one?',
  requestedSchema: { type: 'object', properties: { choice: { type: 'string' } }, required: ['choice'] },
});

serveStdio(() => {
  const server = new McpServer({ name: 'rounds', version: '1' }, { capabilities: { tools: {} } });
  server.registerTool('order', { inputSchema: z.object({ item: z.string() }) }, ({ item }, { mcpReq }) => {
    const state = mcpReq.requestState();
    if (state === undefined) {
      return inputRequired({ inputRequests: { choice: question }, requestState: `asked:${item}` });
    }
    if (state.startsWith('asked:')) {
      const choice = mcpReq.inputResponses?.choice?.content?.choice;
      return inputRequired({ requestState: `chosen:${state.slice(6)}:${choice}` });
    }
    return { content: [{ type: 'text', text: `ordered ${item}, ${state}` }] };
  });
  server.registerTool('endless', { inputSchema: z.object({}) }, (_input, { mcpReq }) =>
    inputRequired({ requestState: String(Number(mcpReq.requestState() ?? 0) + 1) }),
  );
  return server;
});
