/**
 * Where the bridge of a remote server asks for access tokens: `POST /access-token` on a socket that its
 * container alone sees. Which server asks is known by the socket. A token is here only while it is
 * passed on, and in no log.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AccessTokenAnswer, accessTokenRequest } from '../../contract/remote-server.ts';
import { tokenSocket } from '../../contract/session-paths.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { createSemaphore } from '../../lib/limits/semaphore.ts';
import { createTokenBucket } from '../../lib/limits/token-bucket.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import { createHttp, listenOnPath } from '../http/listen-http.ts';
import { parseJsonBody, readRequestBody } from '../http/read-body.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { PlatformRefusal, PlatformUnreachable } from '../platform-api/request.ts';

type TokenApi = Pick<PlatformApi, 'accessToken'>;

/**
 * Of one server. What is in the container may ask as it likes, so each of these is a limit on
 * what it costs the platform.
 */
export const tokenLimits = { connections: 8, waiting: 4, perMinute: 60, bodyBytes: 32 * 1024 } as const;
const maxRateWaitMs = 5000;
/** Longer than one question takes at most. */
const maxQueueMs = 15_000;
const readLimits = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 5000 };
/** Of `accessTokenAnswer`. */
const maxMessageLength = 1000;

/** One for each server that signs in as the session's operator. Throws when a socket cannot be created. */
export function openTokenSockets(servers: SidecarBoot['servers'], api: TokenApi): Promise<Server[]> {
  const asking = servers.filter(({ access_tokens }) => access_tokens);
  return Promise.all(
    asking.map(async ({ name }) => {
      const http = createTokenHttp(name, api);
      await listenOnPath(http, tokenSocket(name));
      return http;
    }),
  );
}

function createTokenHttp(server: string, api: TokenApi): Server {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: tokenLimits.waiting });
  const bucket = createTokenBucket({ perMinute: tokenLimits.perMinute, maxWaitMs: maxRateWaitMs });
  /** One question at a time: a second one would often have the answer of the first. */
  const throttled = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const release = await semaphore.acquire({ maxWaitMs: maxQueueMs });
    if (release === null) {
      throw new HttpRefusal(
        'rate_limited',
        'too many questions for an access token wait already; ask again later',
      );
    }
    try {
      const waitMs = bucket.take();
      if (waitMs === null) {
        throw new HttpRefusal(
          'rate_limited',
          `the limit is ${tokenLimits.perMinute} questions for an access token a minute; ask again later`,
        );
      }
      await sleep(waitMs);
      return await work();
    } finally {
      release();
    }
  };
  return createHttp({ ...readLimits, maxConnections: tokenLimits.connections }, (request, response) =>
    handle(request, response, (asked) => throttled(() => ask({ server, ...asked }, api))),
  );
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  askFor: (asked: ReturnType<typeof accessTokenRequest.parse>) => Promise<AccessTokenAnswer>,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/access-token') {
    throw new HttpRefusal('not_found', 'this socket serves POST /access-token alone');
  }
  const body = await readRequestBody(request, tokenLimits.bodyBytes);
  sendJson(response, 200, await askFor(parseJsonBody(body, accessTokenRequest)));
}

/**
 * A refusal is an answer: without a token the agent is told why, and its operator what to do. Only a limit
 * of rate passes by itself.
 */
async function ask(
  report: Parameters<TokenApi['accessToken']>[0],
  api: TokenApi,
): Promise<AccessTokenAnswer> {
  try {
    return await api.accessToken(report);
  } catch (error) {
    const isLimited = error instanceof PlatformRefusal && error.status === 429;
    if (isLimited || error instanceof PlatformUnreachable) {
      throw new HttpRefusal('unavailable', `there is no access token now: ${error.message}; ask again later`);
    }
    if (error instanceof PlatformRefusal) {
      return { result: 'authorization_required', message: error.message.slice(0, maxMessageLength) };
    }
    throw error;
  }
}
