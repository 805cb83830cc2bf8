/**
 * An endpoint of messages on a Unix socket that answers from a script, as a model would, and
 * keeps what it was asked.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, type ModelRequest, modelRequest, type Turn } from './turns.ts';
import { writeAnswer } from './write-answer.ts';

export interface ModelStub {
  /** Those for messages of the agent's own, in their order; also those that were answered with an error. */
  requests: ModelRequest[];
  headers: IncomingMessage['headers'][];
  /** Any other path that was asked for. */
  strays: string[];
  close(): Promise<void>;
}

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
  const stub: Omit<ModelStub, 'close'> = { requests: [], headers: [], strays: [] };
  const server = createServer((request, response) => {
    answer(request, response, stub, turns).catch(() => response.destroy());
  });
  if (typeof listenOn === 'string') {
    server.listen(listenOn);
  } else {
    server.listen(listenOn, host);
  }
  await once(server, 'listening');
  return {
    ...stub,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  stub: Omit<ModelStub, 'close'>,
  turns: Turn[],
): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  const asked = `${request.method} ${request.url?.split('?')[0]}`;
  if (asked !== 'POST /v1/messages') {
    stub.strays.push(asked);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    return;
  }
  const parsed = modelRequest.parse(JSON.parse(body));
  stub.requests.push(parsed);
  stub.headers.push(request.headers);
  const next = turns.shift() ?? beyondScript;
  await writeAnswer(response, typeof next === 'function' ? next(parsed) : next, parsed);
}
