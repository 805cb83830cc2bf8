/**
 * An endpoint of a language model on this machine, and an agent that asks it: what the tests of model
 * access on every runtime share.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { testEndpoints } from '../../support/model-endpoints.ts';

export const modelKey = 'sk-test-4711-of-the-model-alone';

export const modelAccess = {
  endpoint: 'default',
  dialect: 'messages' as const,
  api_key: { kind: 'secret' as const, secret_name: 'MODEL_KEY', secret_version: 1 },
  models: ['test-model'],
  requests_per_session: 10,
  tokens_per_session: 10_000,
};

/**
 * For the workload's settings: the endpoint is on this machine, at `host`, an address
 * and port, over plain HTTP.
 */
export const endpointAt = (host: string) => ({
  privateHosts: new Map([[host, 'http' as const]]),
  modelEndpoints: testEndpoints(`http://${host}`),
});

export interface ModelEndpoint {
  port: number;
  asked: { headers: IncomingMessage['headers']; body: unknown }[];
  close(): void;
}

/** Answers with the key that it was sent, which must reach nobody. */
export async function startModelEndpoint(host: '127.0.0.1' | '0.0.0.0'): Promise<ModelEndpoint> {
  const asked: ModelEndpoint['asked'] = [];
  const server = createServer(async (request, response) => {
    asked.push({
      headers: request.headers,
      body: JSON.parse(Buffer.concat(await request.toArray()).toString()),
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        type: 'message',
        content: [{ type: 'text', text: `you sent ${request.headers['x-api-key']}` }],
        usage: { input_tokens: 3, output_tokens: 4 },
      }),
    );
  }).listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * A script: asks by the socket and by the port, then looks for the key and for other ways out, of which
 * `host:port` is the endpoint as it is reached from here.
 */
export const asksModel = (host: string, port: number) => `
const [http, fs] = ['http', 'fs'].map((name) => require('node:' + name));
const body = JSON.stringify({ model: 'test-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] });
const ask = (options) => new Promise((resolve) => http.request({ path: '/v1/messages', method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY }, ...options },
  async (response) => resolve({ status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() }))
  .on('error', ({ code }) => resolve({ status: 0, text: code })).end(body));
const at = new URL(process.env.ANTHROPIC_BASE_URL);
const read = (path) => { try { return fs.readFileSync(path, 'latin1'); } catch { return ''; } };
const main = async () => {
  const bySocket = await ask({ socketPath: process.env.ANTHROPIC_UNIX_SOCKET });
  const byPort = await ask({ hostname: at.hostname, port: at.port });
  const elsewhere = await ask({ socketPath: process.env.ANTHROPIC_UNIX_SOCKET, path: '/v1/files' });
  const around = fs.readdirSync('/proc').filter((name) => Number(name) > 0)
    .flatMap((pid) => ['cmdline', 'environ'].map((name) => read('/proc/' + pid + '/' + name))).join(' ');
  console.log('TOLD ' + JSON.stringify({ bySocket, byPort, elsewhere: elsewhere.status, around,
    key: process.env.ANTHROPIC_API_KEY, run: fs.readdirSync('/run', { recursive: true }).filter((name) => name.startsWith('platform')).sort(),
    direct: (await ask({ hostname: '${host}', port: ${port} })).status }));
};
void main();
setInterval(() => {}, 1000);
`;

/** A script: asks by the port as a client of OpenAI's dialects, streamed but for the second time. */
export const asksByOpenai = (below: string, question: object) => `
const ask = async (rest) => {
  const response = await fetch(process.env.OPENAI_BASE_URL + '${below}', { method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ ...${JSON.stringify(question)}, ...rest }) });
  return { status: response.status, text: await response.text() };
};
const main = async () => {
  const told = [];
  for (const rest of [{ stream: true }, {}, { stream: true }, { stream: true }]) {
    told.push(await ask(rest));
  }
  console.log('TOLD ' + JSON.stringify(told));
};
void main();
setInterval(() => {}, 1000);
`;

/** What the agent told, once it has; `readLog` is that of its container. */
export const toldByAgent = (readLog: () => Promise<string>) =>
  eventually(async () => {
    const log = await readLog();
    const line = log.split('\n').find((each) => each.startsWith('TOLD '));
    expect({ line, log }).toMatchObject({ line: expect.any(String) });
    return JSON.parse(line?.slice(5) ?? 'null');
  });

export const answeredWithoutKey = { status: 200, text: expect.stringContaining('you sent [secret]') };

/** What an agent has below /run, with the sockets of its model. */
export const viewOfAgent = [
  'platform',
  'platform/agent',
  'platform/agent/config.json',
  'platform/agent/model.sock',
  'platform/agent/sidecar.sock',
  'platform/mcp',
  'platform/mcp/platform.sock',
];

/** The same in a container, whose relay reports by a socket of its own. */
export const viewInContainer = [...viewOfAgent, 'platform-report', 'platform-report/.report.sock'].toSorted();
