/** The tools of the test servers, the same in both lines of the SDK where both have what they take. */
import { McpServer as EarlierServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** What happened in the tools, and what lets those that wait go on. */
export interface ToolEvents {
  calls: string[];
  cancelled: number;
  release: (() => void)[];
}

const information = { name: 'tools', version: '1.0.0' };
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** Waits until the test releases it, or the call is cancelled. */
const held = (events: ToolEvents, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    events.release.push(resolve);
    signal.addEventListener('abort', () => {
      events.cancelled += 1;
      resolve();
    });
  });

/**
 * Of 2025: with progress, requests to the client, calls that wait, and streams that the server ends early.
 */
export function earlierServer(events: ToolEvents): EarlierServer {
  const server = new EarlierServer(information, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, (args) => {
    events.calls.push('echo');
    return text(args.text);
  });
  server.registerTool('count', { inputSchema: { upTo: z.number() } }, async ({ upTo }, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= upTo && progressToken !== undefined; progress += 1) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: upTo },
      });
    }
    return text(`counted to ${upTo}`);
  });
  server.registerTool('ask', {}, async ({ requestId: relatedRequestId }) => {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    const answer = await server.server.elicitInput(
      { message: 'Who are you?', requestedSchema },
      { relatedRequestId },
    );
    return text(`${answer.action} ${answer.content?.['name']}`);
  });
  server.registerTool('sample', {}, async ({ requestId: relatedRequestId }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say a word.' } }];
    const answer = await server.server.createMessage({ messages, maxTokens: 10 }, { relatedRequestId });
    return text(JSON.stringify(answer.content));
  });
  server.registerTool('ping', {}, async (extra) => {
    await extra.sendRequest({ method: 'ping' }, EmptyResultSchema);
    return text('pinged');
  });
  server.registerTool('wait', {}, async (extra) => {
    events.calls.push('wait');
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 0 },
      });
    }
    await held(events, extra.signal);
    return text('waited');
  });
  // The answer comes on a stream that the client has to open again.
  server.registerTool('leave', {}, async (extra) => {
    extra.closeSSEStream?.();
    await held(events, extra.signal);
    return text('came back');
  });
  server.registerTool('announce', {}, async () => {
    await server.server.sendToolListChanged();
    return text('announced');
  });
  return server;
}

/** Of 2026-07-28, with an argument that it wants to see in a header. */
export function modernServer(events: ToolEvents): McpServer {
  const server = new McpServer(information, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (args) => {
    events.calls.push('echo');
    return text(args.text);
  });
  server.registerTool(
    'count',
    { inputSchema: z.object({ upTo: z.number() }) },
    async ({ upTo }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= upTo && progressToken !== undefined; progress += 1) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: upTo },
        });
      }
      return text(`counted to ${upTo}`);
    },
  );
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    events.calls.push('wait');
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: mcpReq._meta?.progressToken ?? 0, progress: 0 },
    });
    await held(events, mcpReq.signal);
    return text('waited');
  });
  const place = { type: 'string' as const, 'x-mcp-header': 'Place' };
  const inputSchema = fromJsonSchema<{ place: string }>({
    type: 'object',
    properties: { place },
    required: ['place'],
  });
  server.registerTool('weather', { inputSchema }, (args) => text(`rain in ${args.place}`));
  return server;
}
