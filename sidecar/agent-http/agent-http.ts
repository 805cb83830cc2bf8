/**
 * HTTP on the agent's socket: `POST /event`, `POST /live-text`, `GET /input`, `POST /artifact`, and nothing
 * else.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HttpRefusal } from '../http/answer.ts';
import { createHttp } from '../http/listen-http.ts';
import type { AgentHttpDependencies } from './dependencies.ts';
import { streamInput } from './stream-input.ts';
import { takeArtifact } from './take-artifact.ts';
import { takeEvent, takeLiveText } from './take-event.ts';

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  dependencies: AgentHttpDependencies,
) => Promise<void>;

const handlers: ReadonlyMap<string, Handler> = new Map([
  ['POST /event', takeEvent],
  ['POST /live-text', takeLiveText],
  ['GET /input', streamInput],
  ['POST /artifact', takeArtifact],
]);
const knownPaths = new Set([...handlers.keys()].map((key) => key.split(' ')[1]));
const limits = { headersTimeout: 10_000, requestTimeout: 120_000, maxConnections: 32 };

/** The server, not listening yet. */
export const createAgentHttp = (dependencies: AgentHttpDependencies): Server =>
  createHttp(limits, (request, response) => handle(request, response, dependencies));

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: AgentHttpDependencies,
): Promise<void> {
  const url = URL.parse(request.url ?? '', 'http://sidecar');
  const handler = handlers.get(`${request.method} ${url?.pathname}`);
  if (!url || !handler) {
    const what = knownPaths.has(url?.pathname) ? 'this method' : 'this path';
    throw new HttpRefusal('not_found', `the sidecar does not serve ${what}`);
  }
  await handler(request, response, url, dependencies);
}
