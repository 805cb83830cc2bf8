/** One request of the agent: checked, asked for, sent on, answered and counted. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonOrNull } from '../../contract/json-or-null.ts';
import type { ModelUsageReport } from '../../contract/model-access.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer } from '../../lib/outbound/send.ts';
import { mediaType, unexpectedType } from '../../lib/outbound/send.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { readText, refuseEncoding } from '../remote/read-text.ts';
import type { Budget } from './budget-socket.ts';
import type { Dialect, ModelRequest, RequestRules } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import { passEventsOn, writeInTime } from './event-stream.ts';
import type { ModelLimits } from './limits.ts';
import { explainFailure, keyInPieces, ModelError } from './model-error.ts';
import { readAgentRequest } from './read-agent-request.ts';
import { refusedStatus, requestIdOf } from './refused-status.ts';
import type { RequestLimits } from './request-limits.ts';
import { haveKeyInPieces } from './text-pieces.ts';
import { TokenCount } from './token-count.ts';

export interface AnswerDependencies {
  dialect: Dialect;
  endpoint: Endpoint;
  budget: Budget;
  requestLimits: RequestLimits;
  rules: RequestRules;
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
    await dependencies.requestLimits.admit(async (hold) => {
      const { dialect, rules, limits } = dependencies;
      const { targets } = dialect;
      const { body, target } = await readAgentRequest(request, { targets, limits, hold });
      const asked = dialect.parseRequest(body, rules);
      const { headers } = request;
      await forward(dependencies, { asked, target, headers, response, signal: left.signal });
    });
  } catch (error) {
    sendError(dependencies.dialect, response, explainFailure(error, dependencies.endpoint.redact));
  }
}

interface Forwarded {
  asked: ModelRequest;
  target: string;
  headers: IncomingMessage['headers'];
  response: ServerResponse;
  signal: AbortSignal;
}

async function forward(dependencies: AnswerDependencies, forwarded: Forwarded): Promise<void> {
  const { endpoint, budget, limits, track } = dependencies;
  const { asked, target, headers, signal } = forwarded;
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
      const answer = await endpoint.ask(asked, { target, asked: headers, signal: limited, onSent });
      if (answer.status !== 200) {
        const refusal = await readRefusal(dependencies, answer);
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

async function readRefusal(
  { dialect, endpoint: { redact, redactError } }: AnswerDependencies,
  answer: HttpAnswer,
): Promise<ModelError> {
  // What it says is of use, and not needed.
  const body = await readText(answer, maxErrorBytes, 10_000).catch(() => '');
  const requestId = requestIdOf(answer.headers[dialect.requestIdHeader], redact);
  return refusedStatus(answer, { body, requestId, redact: redactError });
}

async function passOn(
  { dialect, endpoint: { redact, redactError, createRedactor }, limits }: AnswerDependencies,
  { asked: { isStreamed, wantsUsage }, response, signal }: Forwarded,
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
  const requestId = requestIdOf(answer.headers[dialect.requestIdHeader], redact);
  const headers = { 'content-type': type, 'cache-control': 'no-cache', ...named(dialect, requestId) };
  if (isStreamed) {
    response.writeHead(200, headers);
    response.flushHeaders();
    const redaction = { redact, redactError, createRedactor };
    await passEventsOn({ answer, dialect, wantsUsage, response, tokens, limits, signal, ...redaction });
    response.end();
    return;
  }
  const text = await readText(answer, limits.answerBytes, limits.wholeMs);
  const value = jsonOrNull(text);
  tokens.says(usageIn(dialect, value, answer));
  tokens.shows(Buffer.byteLength(text));
  if (haveKeyInPieces(value, redact)) {
    throw keyInPieces(answer.url);
  }
  response.writeHead(200, headers);
  // The model has answered, whether the agent takes it or not.
  await writeInTime(response, redact(text), limits.stalledMs, signal).then(
    () => response.end(),
    () => response.destroy(),
  );
}

const named = ({ requestIdHeader }: Dialect, requestId: string | null) =>
  requestId === null ? {} : { [requestIdHeader]: requestId };

function usageIn(dialect: Dialect, value: unknown, { url }: HttpAnswer): unknown {
  const read = dialect.readAnswer(value);
  if (read === null) {
    throw new ModelError('api_error', `${url.host} answers with something that is no message of a model`, {
      status: 502,
    });
  }
  return read.usage;
}

/** As the answer, or as an event of the one that has begun. */
function sendError(dialect: Dialect, response: ServerResponse, error: ModelError): void {
  if (response.destroyed || response.writableEnded) {
    return;
  }
  if (response.headersSent && response.writableNeedDrain) {
    // What the agent does not take would be kept for as long as its connection is open.
    response.destroy();
    return;
  }
  if (response.headersSent) {
    response.end(dialect.errorEvents(error));
    return;
  }
  // What is left of a request that was refused is not read.
  const own = { ...error.headers, ...named(dialect, error.requestId) };
  const headers = { 'content-type': json, connection: 'close', ...own };
  response.writeHead(error.status, headers).end(dialect.errorBody(error));
}
