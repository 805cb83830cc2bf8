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
import type { Answer, Block, ModelRequest, Turn } from './turns.ts';
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
  const answer = withKnownNames(typeof next === 'function' ? next(parsed) : next, parsed);
  await writeAnswer(response, answer, dialect, parsed);
}

/**
 * Agents name the tools of servers each in its own way: a call of `mcp__files__write_file` is made by the
 * name that the request has for it.
 */
function withKnownNames(answer: Answer, { tools = [] }: ModelRequest): Answer {
  if (answer.type === 'error') {
    return answer;
  }
  const known = (name: string): string => {
    const plain = plainName(name);
    const same = tools.find((tool) => plainName(tool.name) === plain);
    return tools.some((tool) => tool.name === name) ? name : (same?.name ?? name);
  };
  const named = (block: Block): Block =>
    block.type === 'tool_use' ? { ...block, name: known(block.name) } : block;
  return { ...answer, blocks: answer.blocks.map(named) };
}

const plainName = (name: string): string => name.replace(/^mcp_+/, '').replaceAll(/[^a-z]+/gi, '_');
