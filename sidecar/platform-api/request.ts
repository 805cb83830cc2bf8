/** One request to the platform's internal routes: with this session's token, timeouts and retries. */
import * as z from 'zod';
import { internalTokenHeader, readsHeader } from '../../contract/sidecar.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { requestJson } from './send.ts';

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
  /** A field of the answer that earlier releases do not know. */
  reads?: string;
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
      headers: {
        [internalTokenHeader]: address.token,
        ...(request.reads === undefined ? {} : { [readsHeader]: request.reads }),
      },
      body: request.body,
      signal,
    });
    if (!isAnswer(response.status, request)) {
      throw new Error(`the platform answered ${response.status}`);
    }
    return response;
  });
}

/** The platform never redirects: whatever else answers in its place, such as a maintenance page, has accepted nothing. */
function isAnswer(status: number, { limitIsAnswer = false }: PlatformRequest): boolean {
  return (
    (status >= 200 && status < 300) || (status >= 400 && status < 500 && (status !== 429 || limitIsAnswer))
  );
}

export function internalUrl({ apiUrl, sessionId }: PlatformAddress, path: string): URL {
  return new URL(`/internal/sessions/${sessionId}/${path}`, apiUrl);
}

/** Reads an answer by its schema; throws PlatformRefusal for 4xx, PlatformUnreachable for an invalid answer. */
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
