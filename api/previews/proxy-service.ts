/**
 * Passes what is asked at the host of a service's preview on to the gateway beside the service
 * (docs/previews.md). The service is an agent's: it is told nothing of the person, and what it answers is
 * held as the files of a preview are.
 */
import type { Context } from 'koa';
import type { ServiceState } from '../../contract/preview.ts';
import { serviceFailureHeader } from '../../contract/service-signature.ts';
import type { OpenedService } from '../../store/previews/openings.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, requireAllowed } from '../errors.ts';
import { whyNotAskService } from '../policies/previews.ts';
import { type Upgrade, upgradeOf } from '../upgrades.ts';
import { serviceHeaders, waitingPolicy } from './headers.ts';
import { answerNotice, badAnswerPage, endedServicePage, noAnswerPage, startingPage } from './notice-page.ts';
import type { ProxyConnections } from './proxy-connections.ts';
import { beginExchange, type Exchange, type FirstAnswer, joinSockets, passAnswer } from './proxy-exchange.ts';
import { allowedHeadersOf, serviceRequestHeaders } from './proxy-request-headers.ts';
import { visitorHandshake, visitorHeaders } from './proxy-response-headers.ts';

export interface AskedService {
  previewId: string;
  /** Who opened it. */
  workspaceId: string;
  userId: string;
  service: OpenedService;
  label: string;
  /** The preview's own. */
  origin: string;
}

/** Between two looks of a page that waits for a service. */
const askAgainSeconds = 2;
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const preflightSeconds = '600';

type Settings = Pick<ApiDependencies['config'], 'SESSION_KEY_SEED' | 'LIMIT_PREVIEW_BODY_BYTES'>;
interface Running extends AskedService {
  address: string;
  port: number;
}

/**
 * Answers a request, or an upgrade, for an opened service. Throws 400, 403, 413, 429 and, for what
 * no person looks at, 503.
 */
export async function answerFromService(
  ctx: Context,
  asked: AskedService,
  { config, connections }: { config: Settings; connections: ProxyConnections },
): Promise<void> {
  ctx.set(serviceHeaders);
  const { method } = ctx;
  const origin = ctx.get('Origin').toLowerCase();
  const from = { method, origin, site: ctx.get('Sec-Fetch-Site'), ownOrigin: asked.origin };
  requireAllowed(whyNotAskService(from));
  if (method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
    answerPreflight(ctx);
    return;
  }
  // As sent, and as it is signed; what another server would make of a whole address or of other
  // characters is not asked.
  if (!/^\/[\x21-\x7e]*$/.test(ctx.req.url ?? '')) {
    throw new ApiError('malformed_request', 'The target of a request must be a path in ASCII characters');
  }
  const { state, address, port } = asked.service;
  if (address === null || port === null) {
    answerWithout(ctx, state);
    return;
  }
  if (Number(ctx.get('Content-Length')) > config.LIMIT_PREVIEW_BODY_BYTES) {
    throw tooLarge(ctx, config);
  }
  await askRunning(ctx, { ...asked, address, port }, { config, connections });
}

/**
 * A page with an opaque origin may send what is on the list; without credentials, which no
 * browser may send from it.
 */
function answerPreflight(ctx: Context): void {
  ctx.set('Access-Control-Allow-Methods', methods);
  const headers = allowedHeadersOf(ctx.get('Access-Control-Request-Headers'));
  if (headers.length > 0) {
    ctx.set('Access-Control-Allow-Headers', headers.join(', '));
  }
  ctx.set('Access-Control-Max-Age', preflightSeconds);
  ctx.status = 204;
}

function answerWithout(ctx: Context, state: ServiceState): void {
  if (state === 'pending' || state === 'starting') {
    answerStarting(ctx);
  } else {
    // Gone: a preview's service is run once. One that still runs has no address once its session has
    // ended, and is stopped with it.
    answerNotice(ctx, 410, endedServicePage);
  }
}

/**
 * A page that a person waits at looks again by itself; what a script asked for is asked again by the script.
 */
function answerStarting(ctx: Context): void {
  if (ctx.method === 'GET' && ctx.get('Accept').toLowerCase().includes('text/html')) {
    ctx.set('Content-Security-Policy', waitingPolicy);
    ctx.set('Refresh', String(askAgainSeconds));
    answerNotice(ctx, 503, startingPage);
  } else {
    throw new ApiError('unavailable', 'The service of this preview is starting', {
      retryAfterSeconds: askAgainSeconds,
    });
  }
}

function tooLarge(ctx: Context, config: Settings): ApiError {
  // The rest of the body is discarded, and the connection is not used again.
  ctx.set('Connection', 'close');
  ctx.req.resume();
  return new ApiError(
    'too_large',
    `The limit is ${config.LIMIT_PREVIEW_BODY_BYTES} bytes for a request body`,
  );
}

async function askRunning(
  ctx: Context,
  asked: Running,
  { config, connections }: { config: Settings; connections: ProxyConnections },
): Promise<void> {
  if (ctx.res.destroyed || ctx.req.socket.destroyed) {
    ctx.respond = false;
    return;
  }
  const upgrade = upgradeOf(ctx.req);
  const leave = connections.enter(asked, () => ctx.req.socket.destroy());
  let exchange: Exchange | undefined;
  try {
    const isWebSocket = upgrade !== null;
    exchange = beginExchange({ request: ctx.req, response: ctx.res }, asked, {
      headers: serviceRequestHeaders(ctx.headers, { port: asked.port, label: asked.label, isWebSocket }),
      ...{ seed: config.SESSION_KEY_SEED, maxBodyBytes: config.LIMIT_PREVIEW_BODY_BYTES, isWebSocket },
    });
    await answerFirst(ctx, asked, { first: await exchange.first, upgrade, config });
  } finally {
    exchange?.end();
    leave();
  }
}

async function answerFirst(
  ctx: Context,
  asked: Running,
  { first, upgrade, config }: { first: FirstAnswer; upgrade: Upgrade | null; config: Settings },
): Promise<void> {
  switch (first.type) {
    case 'left':
      ctx.respond = false;
      return;
    case 'late':
      answerNotice(ctx, 504, noAnswerPage);
      return;
    case 'too_large':
      throw tooLarge(ctx, config);
    case 'unreachable':
      answerStarting(ctx);
      return;
    case 'upgrade':
      await upgradeVisitor(ctx, first, upgrade);
      return;
    case 'answer':
      await answerVisitor(ctx, asked, first.answer);
  }
}

/** In the platform's words, and not in the gateway's, which are for this process. */
function answerFailure(ctx: Context, status: number): void {
  if (status === 400 || status === 431) {
    throw new ApiError('malformed_request', 'This request cannot be passed on to a service');
  }
  if (status === 503) {
    answerStarting(ctx);
  } else if (status === 504) {
    answerNotice(ctx, 504, noAnswerPage);
  } else {
    answerNotice(ctx, 502, badAnswerPage);
  }
}

type Answered = Extract<FirstAnswer, { type: 'answer' }>['answer'];

async function answerVisitor(ctx: Context, { origin, port }: Running, answer: Answered): Promise<void> {
  const { statusCode = 0, headers } = answer;
  if (headers[serviceFailureHeader] !== undefined) {
    answer.destroy();
    answerFailure(ctx, statusCode);
    return;
  }
  const passed = visitorHeaders({ statusCode, headers }, { origin, port, target: ctx.req.url ?? '/' });
  if (passed === null) {
    answer.destroy();
    answerNotice(ctx, 502, badAnswerPage);
    return;
  }
  ctx.res.writeHead(statusCode, passed);
  ctx.respond = false;
  await passAnswer(answer, ctx.res);
}

async function upgradeVisitor(
  ctx: Context,
  { answer, socket, head }: Extract<FirstAnswer, { type: 'upgrade' }>,
  upgrade: Upgrade | null,
): Promise<void> {
  const { statusCode = 0, headers } = answer;
  const passed = visitorHandshake({ statusCode, headers });
  if (passed === null || upgrade === null || ctx.res.destroyed) {
    socket.destroy();
    answerNotice(ctx, 502, badAnswerPage);
    return;
  }
  ctx.res.writeHead(statusCode, passed).end();
  ctx.respond = false;
  await joinSockets(upgrade, { socket, head });
}
