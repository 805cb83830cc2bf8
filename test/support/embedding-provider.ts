/** A service with OpenAI's interface for embeddings, on a port of its own, that behaves as a test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: { model: string; input: string[]; dimensions?: number; encoding_format: string };
}

export type Behaviour = (request: ReceivedRequest, response: ServerResponse) => void;

export interface TestProvider {
  /** `127.0.0.1:port`. */
  host: string;
  received: ReceivedRequest[];
  /** What it does from now on; at first it embeds. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const answerJson = (response: ServerResponse, body: unknown, status = 200) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));

/**
 * Three dimensions: how many of the letters a, b and c a text has, and one more. Answers in reverse
 * order, as a provider may.
 */
export const embed: Behaviour = ({ body }, response) => {
  const count = (text: string, letter: string) => text.split(letter).length;
  const data = body.input.map((text, index) => ({
    ...{ object: 'embedding', index },
    embedding: [count(text, 'a'), count(text, 'b'), count(text, 'c')],
  }));
  answerJson(response, { object: 'list', model: body.model, data: data.toReversed(), usage: {} });
};

export async function startTestProvider(): Promise<TestProvider> {
  let current = embed;
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    const asked = { method, url, headers, body: JSON.parse(text) };
    received.push(asked);
    current(asked, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    received,
    behave(behaviour) {
      current = behaviour;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
