/**
 * One request to the platform's internal routes, answered in JSON: with this session's token, timeouts and
 * retries. Small ones use keep-alive connections, at a third of the cost of `fetch`.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { internalTokenHeader } from '../../contract/sidecar.ts';
import { collectBytes } from '../../lib/timing/collected-bytes.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { shareLookups } from './share-lookups.ts';

/** The platform answered with a refusal. */
export class PlatformRefusal extends Error {
  override name = 'PlatformRefusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The platform was unreachable, or sent no valid response, within the timeout. */
export class PlatformUnreachable extends Error {
  override name = 'PlatformUnreachable';
}

export interface PlatformAddress {
  apiUrl: string;
  sessionId: string;
  token: string;
}

export interface PlatformRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** Below `/internal/sessions/{id}/`. */
  path: string;
  body?: unknown;
  /** Retries until an answer or this timeout; every route is idempotent. */
  timeLimitMs: number;
  /** Timeout of one attempt; default 10 s. */
  attemptLimitMs?: number;
  signal?: AbortSignal;
  /** A rate limit refusal (429) is an answer and not retried. */
  limitIsAnswer?: boolean;
}

const defaultAttemptLimitMs = 10_000;
const delays = { firstDelayMs: 50, maxDelayMs: 2000 };

/** What is read of a refusal; the field that is wrong is named to the agent. */
const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Sends until answered. Throws PlatformRefusal for a 4xx answer, PlatformUnreachable on timeout. */
export async function requestPlatform<Answer extends z.ZodType>(
  address: PlatformAddress,
  request: PlatformRequest,
  answer: Answer,
): Promise<z.infer<Answer>> {
  const { timeLimitMs, attemptLimitMs = defaultAttemptLimitMs, signal } = request;
  const deadline = Date.now() + timeLimitMs;
  const response = await retry(
    () => attempt(address, request, Math.max(1, Math.min(attemptLimitMs, deadline - Date.now()))),
    { ...delays, limitMs: timeLimitMs, signal },
  ).catch((error: unknown) => {
    throw new PlatformUnreachable('the platform could not be reached in time', { cause: error });
  });
  return readAnswer(response, answer);
}

/** The answer of one attempt; throws when it should be retried. */
function attempt(
  address: PlatformAddress,
  request: PlatformRequest,
  timeoutMs: number,
): Promise<{ status: number; body: unknown }> {
  return withinLimit(timeoutMs, request.signal, async (signal) => {
    signal.throwIfAborted();
    const response = await requestJson(internalUrl(address, request.path), {
      method: request.method,
      headers: { [internalTokenHeader]: address.token },
      body: request.body,
      signal,
    });
    if (!isAnswer(response.status, request)) {
      throw new Error(`the platform answered ${response.status}`);
    }
    return response;
  });
}

/**
 * The platform never redirects: whatever else answers in its place, such as a maintenance
 * page, has accepted nothing.
 */
function isAnswer(status: number, { limitIsAnswer = false }: PlatformRequest): boolean {
  return (
    (status >= 200 && status < 300) || (status >= 400 && status < 500 && (status !== 429 || limitIsAnswer))
  );
}

export function internalUrl({ apiUrl, sessionId }: PlatformAddress, path: string): URL {
  return new URL(`/internal/sessions/${sessionId}/${path}`, apiUrl);
}

/**
 * Reads an answer by its schema; throws PlatformRefusal for 4xx, PlatformUnreachable for an invalid answer.
 */
export function readAnswer<Answer extends z.ZodType>(
  { status, body }: { status: number; body: unknown },
  answer: Answer,
): z.infer<Answer> {
  if (status >= 400) {
    const { code, message } = refusalOf(body);
    throw new PlatformRefusal(status, code, message);
  }
  const parsed = answer.safeParse(body);
  if (!parsed.success) {
    throw new PlatformUnreachable('the platform answered in a way that this sidecar does not understand');
  }
  return parsed.data;
}

function refusalOf(body: unknown): { code: string; message: string } {
  const parsed = refusal.safeParse(body);
  if (!parsed.success) {
    return { code: 'refused', message: 'the platform refused the request' };
  }
  const { code, message, fields = [] } = parsed.data.error;
  const [field] = fields;
  return { code, message: field === undefined ? message : `${message}: ${field.path}: ${field.message}` };
}

export interface JsonRequest {
  method: 'GET' | 'POST' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal: AbortSignal;
}

export interface Upload {
  headers: Readonly<Record<string, string>>;
  body: Buffer | Readable;
  signal: AbortSignal;
}

export interface JsonAnswer {
  status: number;
  /** Null when the answer is no JSON. */
  body: unknown;
}

const lookup = shareLookups();
const kept = { keepAlive: true, maxSockets: 64, lookup };
const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
const maxAnswerBytes = 4 * 1024 * 1024;

/** Follows no redirect. Throws without a complete answer. */
async function requestJson(url: URL, { method, headers, body, signal }: JsonRequest): Promise<JsonAnswer> {
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const isHttps = url.protocol === 'https:';
  const request = requestBy(url)(url, {
    method,
    headers: {
      ...headers,
      ...(bytes ? { 'content-type': 'application/json', 'content-length': bytes.length } : {}),
    },
    agent: isHttps ? agents.https : agents.http,
    signal,
  });
  const response = responseTo(request);
  request.end(bytes ?? undefined);
  return readJson(await response);
}

/** POSTs bytes over a new connection: a stream cannot be resent. Throws without a complete answer. */
export async function upload(url: URL, { headers, body, signal }: Upload): Promise<JsonAnswer> {
  const request = requestBy(url)(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    agent: false,
    lookup,
    signal,
  });
  const response = responseTo(request);
  if (Buffer.isBuffer(body)) {
    request.end(body);
  } else {
    // A stream error fails the request; an answer that arrived before all was sent counts.
    pipeline(body, request).catch((error: Error) => request.destroy(error));
  }
  return readJson(await response);
}

const requestBy = (url: URL) => (url.protocol === 'https:' ? httpsRequest : httpRequest);

/**
 * Rejects when the connection ends without one, also after a 101 response: protocol
 * upgrades are not supported.
 */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection ended without an answer')));
  });
}

async function readJson(response: IncomingMessage): Promise<JsonAnswer> {
  const tooLarge = () => new Error('the answer is too large');
  const bytes = await collectBytes(response, { maxBytes: maxAnswerBytes, tooLarge });
  return { status: response.statusCode ?? 0, body: parsed(bytes.toString()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
