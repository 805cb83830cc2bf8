/**
 * An endpoint of a model that answers from a script, in the dialect that it is asked in, and keeps what it
 * was asked.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatCompletionsStub } from './chat-completions.ts';
import { messagesStub } from './messages.ts';
import { responsesStub } from './responses.ts';
import type { StubDialect } from './stub-dialect.ts';
import type { Answer, ModelRequest, Turn } from './turns.ts';
import { writeAnswer } from './write-answer.ts';

export interface ModelStub {
  /** 0 where it listens on a socket's path. */
  port: number;
  /** Those of its dialects, in their order, as of the Messages API; also those answered with an error. */
  requests: ModelRequest[];
  headers: IncomingMessage['headers'][];
  /** Any other path that was asked for. */
  strays: string[];
  close(): Promise<void>;
}

const dialectByPath: ReadonlyMap<string, StubDialect> = new Map([
  ['/v1/messages', messagesStub],
  ['/v1/chat/completions', chatCompletionsStub],
  ['/v1/responses', responsesStub],
]);

/** What is asked beyond the script's end is answered with an error. */
const beyondScript: Answer = {
  type: 'error',
  status: 400,
  kind: 'invalid_request_error',
  message: 'the script of this model has no further turn',
};

/** Listens on a socket's path, or on a port of `host`, which is the loopback unless it is named. */
export async function startModelStub(
  script: readonly Turn[],
  listenOn: string | number,
  host: '127.0.0.1' | '0.0.0.0' = '127.0.0.1',
): Promise<ModelStub> {
  const turns = [...script];
  const stub: StubRecord = { requests: [], headers: [], strays: [] };
  const server = createServer((request, response) => {
    answer(request, response, stub, turns).catch(() => response.destroy());
  });
  if (typeof listenOn === 'string') {
    server.listen(listenOn);
  } else {
    server.listen(listenOn, host);
  }
  await once(server, 'listening');
  const address = server.address();
  return {
    ...stub,
    port: isPort(address) ? address.port : 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const isPort = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;

type StubRecord = Pick<ModelStub, 'requests' | 'headers' | 'strays'>;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  stub: StubRecord,
  turns: Turn[],
): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  const [path = ''] = request.url?.split('?') ?? [];
  const dialect = dialectByPath.get(path);
  if (request.method !== 'POST' || dialect === undefined) {
    stub.strays.push(`${request.method} ${path}`);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  const parsed = dialect.read(JSON.parse(body));
  stub.requests.push(parsed);
  stub.headers.push(request.headers);
  const next = turns.shift() ?? beyondScript;
  await writeAnswer(response, typeof next === 'function' ? next(parsed) : next, dialect, parsed);
}
