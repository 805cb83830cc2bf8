/** A client of MCP's Streamable HTTP in one session, on persistent connections. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Client } from './line-client.ts';
import { initializedLine, initializeLine } from './messages.ts';

const maxConnections = 64;

export async function openHttpClient(url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (line: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const length = { 'content-length': line.length };
      const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
        let body = '';
        response.setEncoding('latin1');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.once('end', () => resolve({ headers: response.headers, body }));
        response.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(line, 'latin1');
    });
  const { headers: answered } = await post(initializeLine);
  headers['mcp-protocol-version'] = '2025-11-25';
  headers['mcp-session-id'] = String(answered['mcp-session-id']);
  await post(initializedLine);
  return {
    async send(id, line) {
      const { body } = await post(line);
      if (!body.includes(`"id":${id}`) || body.includes('"error":{')) {
        throw new Error(`no answer to a call: ${body.slice(0, 300)}`);
      }
    },
    close: () => agent.destroy(),
  };
}
