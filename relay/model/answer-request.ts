/** One request of the agent: checked, asked for, sent on, answered and counted. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import type { ModelUsageReport } from '../../contract/model-access.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import { mediaType, unexpectedType } from '../../lib/outbound/exchange.ts';
import type { HttpAnswer } from '../../lib/outbound/get.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { readText, refuseEncoding } from '../remote/read-text.ts';
import { allowedBetas } from './beta-names.ts';
import type { Budget } from './budget-socket.ts';
import type { Endpoint } from './endpoint.ts';
import { passEventsOn } from './event-stream.ts';
import type { ModelLimits } from './limits.ts';
import { memberOf } from './member-of.ts';
import { explainFailure, ModelError } from './model-error.ts';
import { type ModelRequest, parseModelRequest } from './model-request.ts';
import { readAgentRequest } from './read-agent-request.ts';
import { refusedStatus, requestIdOf } from './refused-status.ts';
import { TokenCount } from './token-count.ts';
import type { Turns } from './turns.ts';

export interface AnswerDependencies {
  endpoint: Endpoint;
  budget: Budget;
  turns: Turns;
  models: readonly string[];
  limits: ModelLimits;
  /** Takes each outcome that is still to be told to the platform. */
  track(reporting: Promise<void>): void;
}

const json = 'application/json';
const eventStream = 'text/event-stream';
const maxErrorBytes = 64 * 1024;

/** Answers in any case, and never throws. */
export async function answerRequest(
  dependencies: AnswerDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the agent has left')));
  try {
    await dependencies.turns.take(async (held) => {
      const { body, isBeta } = await readAgentRequest(request, dependencies.limits, held);
      const { models, limits } = dependencies;
      const asked = parseModelRequest(body, { models, bodyValues: limits.bodyValues });
      const betas = allowedBetas(headerOf(request, 'anthropic-beta'));
      await forward(dependencies, { asked, betas, isBeta, response, signal: left.signal });
    });
  } catch (error) {
    sendError(response, explainFailure(error));
  }
}

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
};

interface Forwarded {
  asked: ModelRequest;
  betas: string | null;
  isBeta: boolean;
  response: ServerResponse;
  signal: AbortSignal;
}

async function forward(dependencies: AnswerDependencies, forwarded: Forwarded): Promise<void> {
  const { endpoint, budget, limits, track } = dependencies;
  const { asked, betas, isBeta, signal } = forwarded;
  const id = randomUUID();
  const permission = await budget.ask(id, asked.maxTokens);
  if (permission?.decision === 'refused') {
    throw new ModelError('invalid_request_error', permission.message, { mayRetry: false });
  }
  const tokens = new TokenCount(asked);
  let usage: ModelUsageReport | null = null;
  try {
    if (permission === null) {
      throw unanswered();
    }
    signal.throwIfAborted();
    const limitMs = asked.isStreamed ? limits.streamMs : limits.wholeMs;
    const late = new OutboundError('timed_out', `it took longer than ${limitMs / 1000} seconds`);
    const work = async (limited: AbortSignal) => {
      const onSent = () => tokens.sent();
      const answer = await endpoint.ask(asked, { betas, isBeta, signal: limited, onSent });
      if (answer.status !== 200) {
        const refusal = await readRefusal(endpoint, answer);
        usage = tokens.refused();
        throw refusal;
      }
      await passOn(dependencies, { ...forwarded, signal: limited }, answer, tokens);
    };
    await withinLimit(limitMs, signal, work, late);
    usage = tokens.completed();
  } finally {
    track(budget.report(id, usage ?? tokens.cut()));
  }
}

const unanswered = () =>
  new ModelError(
    'overloaded_error',
    'The platform cannot say at the moment whether the model may be asked; try again later',
    { status: 503, retryAfter: '2' },
  );

async function readRefusal(endpoint: Endpoint, answer: HttpAnswer): Promise<ModelError> {
  // What it says is of use, and not needed.
  const body = await readText(answer, maxErrorBytes, 10_000).catch(() => '');
  return refusedStatus(answer, body, endpoint.blackOut);
}

async function passOn(
  { endpoint: { blackOut, createBlackOut }, limits }: AnswerDependencies,
  { asked: { isStreamed }, response, signal }: Forwarded,
  answer: HttpAnswer,
  tokens: TokenCount,
): Promise<void> {
  refuseEncoding(answer);
  const type = isStreamed ? eventStream : json;
  const found = mediaType(answer.headers['content-type']);
  if (found !== type) {
    answer.body.destroy();
    throw unexpectedType(answer.url, found, [type]);
  }
  const requestId = requestIdOf(answer.headers, blackOut);
  const headers = { 'content-type': type, 'cache-control': 'no-cache', ...named(requestId) };
  if (isStreamed) {
    response.writeHead(200, headers);
    response.flushHeaders();
    await passEventsOn({ answer, response, tokens, limits, blackOut, createBlackOut, signal });
    response.end();
    return;
  }
  const text = await readText(answer, limits.answerBytes, limits.wholeMs);
  tokens.says(memberOf(messageOf(text, answer), 'usage'));
  tokens.shows(Buffer.byteLength(text));
  response.writeHead(200, headers).end(blackOut(text));
}

const named = (requestId: string | null) => (requestId === null ? {} : { 'request-id': requestId });

function messageOf(text: string, { url }: HttpAnswer): unknown {
  const value = jsonOrNull(text);
  if (memberOf(value, 'type') !== 'message') {
    throw new ModelError('api_error', `${url.host} answers with something that is no message of a model`, {
      status: 502,
    });
  }
  return value;
}

/** As the answer, or as an event of the one that has begun. */
function sendError(response: ServerResponse, error: ModelError): void {
  if (response.destroyed || response.writableEnded) {
    return;
  }
  if (response.headersSent) {
    response.end(`event: error\ndata: ${error.text}\n\n`);
    return;
  }
  // What is left of a request that was refused is not read.
  const headers = { 'content-type': json, connection: 'close', ...error.headers };
  response.writeHead(error.status, headers).end(error.text);
}
