/**
 * A model program between an agent's socket and an endpoint: the sidecar's own sockets, real HTTP on every
 * hop, and a stand-in of the API.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  MaximumField,
  ModelDialect,
  ModelRequestAnswer,
  ModelUsageReport,
} from '../../../../contract/model-access.ts';
import { defaultModelLimits, type ModelLimits } from '../../../../relay/model/limits.ts';
import { dialects, serveModel } from '../../../../relay/model/serve.ts';
import { openModelSockets } from '../../../../sidecar/model-access/model-sockets.ts';

/** Nothing like it is to leave the program, but to the endpoint. */
export const modelKey = 'sk-test-0123456789-only-for-the-endpoint';

export interface AskedOfEndpoint {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Answered {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

type Respond = (request: AskedOfEndpoint, response: ServerResponse, raw: IncomingMessage) => unknown;

export class ModelSession {
  readonly asked: AskedOfEndpoint[] = [];
  readonly questions: { id: string; maxTokens: number }[] = [];
  readonly usage: { id: string; usage: ModelUsageReport }[] = [];
  respond: Respond = (_request, response) => sendMessage(response);
  onQuestion: () => ModelRequestAnswer | Promise<ModelRequestAnswer> = () => ({ decision: 'allowed' });
  readonly #directory = mkdtempSync(join(tmpdir(), 'model-'));
  readonly #stopping = new AbortController();
  readonly #endpoint: Server;
  #path = '';
  #end: () => Promise<void> = () => Promise.resolve();
  #serving: Promise<void> = Promise.resolve();

  constructor() {
    this.#endpoint = createServer(async (raw, response) => {
      const body = Buffer.concat(await raw.toArray()).toString();
      const { method = '', url = '', headers } = raw;
      const each = { method, url, headers, body };
      this.asked.push(each);
      await this.respond(each, response, raw);
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.#endpoint.address() as AddressInfo).port}`;
  }

  get socket(): string {
    return join(this.#directory, 'agent/agent/model.sock');
  }

  async start({
    models = [],
    limits = {},
    key = modelKey,
    isListed = true,
    basePath = '',
    dialect = 'messages',
    default_max_tokens = 4096,
    maximum_field,
  }: {
    models?: string[];
    limits?: Partial<ModelLimits>;
    key?: string;
    isListed?: boolean;
    basePath?: string;
    dialect?: ModelDialect;
    default_max_tokens?: number;
    maximum_field?: MaximumField;
  } = {}): Promise<this> {
    this.#path = [...dialects[dialect].targets.keys()][0] ?? '';
    this.#endpoint.listen(0, '127.0.0.1');
    await once(this.#endpoint, 'listening');
    const sockets = await openModelSockets(
      {
        askForModelRequest: async (id, { max_tokens: maxTokens }) => {
          this.questions.push({ id, maxTokens });
          return this.onQuestion();
        },
        reportModelUsage: async (id, report) => {
          this.usage.push({ id, usage: report });
        },
      },
      {
        agent: this.socket,
        requests: join(this.#directory, 'model/requests.sock'),
        budget: join(this.#directory, 'model/budget.sock'),
      },
    );
    this.#serving = serveModel({
      config: {
        dialect,
        base_url: `http://${this.host}${basePath}`,
        models,
        default_max_tokens,
        maximum_field,
        socket_directory: join(this.#directory, 'model'),
        private_hosts: isListed ? { [this.host]: 'http' } : {},
      },
      key,
      signal: this.#stopping.signal,
      limits: { ...defaultModelLimits, ...limits },
    });
    this.#end = async () => {
      await this.stopProgram();
      await sockets.close();
    };
    return this;
  }

  async stopProgram(): Promise<void> {
    this.#stopping.abort();
    await this.#serving;
  }

  async stop(): Promise<void> {
    this.#endpoint.closeAllConnections();
    await this.#end();
    this.#endpoint.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** As an agent's client does. Status 0: the connection ended without an answer. */
  ask(
    body: unknown,
    {
      path = this.#path,
      method = 'POST',
      headers = {},
    }: { path?: string; method?: string; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return new Promise((resolve) => {
      const lost = { status: 0, headers: {}, text: '' };
      const sent = request(
        {
          socketPath: this.socket,
          path,
          method,
          agent: false,
          headers: { 'content-type': 'application/json', 'x-api-key': 'none', ...headers },
        },
        async (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          await new Promise((done) => response.once('close', done));
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        },
      );
      sent.on('error', () => resolve(lost)).end(bytes);
    });
  }

  /** Bytes as they are; resolves with all that came back until the connection closed, or `limitMs` passed. */
  async raw(bytes: string | Buffer, limitMs = 1500): Promise<string> {
    const socket = createConnection({ path: this.socket, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    socket.write(bytes);
    const timer = setTimeout(() => socket.destroy(), limitMs);
    await new Promise((resolve) => socket.once('close', resolve).once('end', resolve));
    clearTimeout(timer);
    socket.destroy();
    return Buffer.concat(chunks).toString();
  }
}

export const question = {
  model: 'test-model',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'hello' }],
};

const usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 4,
  output_tokens: 5,
};

export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  usage,
};

export function sendMessage(response: ServerResponse, body: object = message): void {
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_1' });
  response.end(JSON.stringify(body));
}

export const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_1' });

export const event = (value: { type: string } & Record<string, unknown>): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

export const startEvent = {
  type: 'message_start',
  message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } },
};
export const deltaEvent = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});
export const endEvents = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens: 77 },
  },
  { type: 'message_stop' },
];

/** The events of a stream, parsed. */
export const eventsIn = (text: string): ({ type: string } & Record<string, unknown>)[] =>
  text.split('\n\n').flatMap((each) => {
    const data = each
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice('data: '.length));
    return data.length === 0 ? [] : [JSON.parse(data.join('\n'))];
  });
