/** The sidecar's socket for access tokens: a real HTTP server that a test gives the answers to. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type AccessTokenAnswer,
  type AccessTokenRequest,
  accessTokenRequest,
} from '../../../../contract/remote-server.ts';

export type TokenReply = AccessTokenAnswer | { status: number; body?: string };

export interface TokenServer {
  socketPath: string;
  /** In their order. */
  questions: AccessTokenRequest[];
  close(): Promise<void>;
}

/** A token that is named after itself; `expiresInMs` of null for a server that does not say. */
export const token = (name: string, expiresInMs: number | null = null): AccessTokenAnswer => ({
  result: 'token',
  access_token: name,
  token_id: `id-of-${name}`,
  expires_at: expiresInMs === null ? null : new Date(Date.now() + expiresInMs).toISOString(),
});

type Answers = (question: AccessTokenRequest) => Promise<TokenReply>;

/**
 * Answers with one reply after the other, and with the last of them from then on; or as the function does.
 */
export async function startTokenServer(replies: readonly TokenReply[] | Answers): Promise<TokenServer> {
  const directory = await mkdtemp(join(tmpdir(), 'token-'));
  const socketPath = join(directory, 'token.sock');
  const questions: AccessTokenRequest[] = [];
  const server = createServer(async (request, response) => {
    const isQuestion = request.method === 'POST' && request.url === '/access-token';
    const question = accessTokenRequest.safeParse(JSON.parse(await text(request)));
    if (!isQuestion || !question.success) {
      response.writeHead(400).end();
      return;
    }
    questions.push(question.data);
    const reply =
      typeof replies === 'function'
        ? await replies(question.data)
        : replies[Math.min(questions.length, replies.length) - 1];
    const [status, body] =
      reply !== undefined && 'status' in reply
        ? [reply.status, reply.body ?? '']
        : [200, JSON.stringify(reply)];
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    questions,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true });
    },
  };
}
