/** One request to the platform's internal routes: with this session's token, timeouts and retries. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { internalTokenHeader } from '../../contract/sidecar.ts';
import { sendJson } from './send.ts';

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
  method: 'GET' | 'POST';
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
const longestPauseMs = 2000;

/** Sends until answered. Throws PlatformRefusal for a 4xx answer, PlatformUnreachable on timeout. */
export async function requestPlatform<Answer extends z.ZodType>(
  address: PlatformAddress,
  request: PlatformRequest,
  answer: Answer,
): Promise<z.infer<Answer>> {
  const deadline = Date.now() + request.timeLimitMs;
  const { attemptLimitMs = defaultAttemptLimitMs } = request;
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const response = await attempt(address, request, Math.min(attemptLimitMs, deadline - Date.now()));
    if (response !== null) {
      return readAnswer(response, answer);
    }
    if (Date.now() + pauseMs >= deadline || request.signal?.aborted) {
      throw new PlatformUnreachable('the platform could not be reached in time');
    }
    await sleep(pauseMs);
  }
}

/** The answer of one attempt, or null when it should be retried. */
async function attempt(
  address: PlatformAddress,
  request: PlatformRequest,
  timeoutMs: number,
): Promise<{ status: number; body: unknown } | null> {
  // A timer of its own: on Node 20 a timeout inside a combined signal may be collected, and then never fires.
  const ended = new AbortController();
  const end = () => ended.abort();
  const timer = setTimeout(end, Math.max(1, timeoutMs));
  request.signal?.addEventListener('abort', end);
  try {
    if (request.signal?.aborted) {
      return null;
    }
    const response = await sendJson(internalUrl(address, request.path), {
      method: request.method,
      headers: { [internalTokenHeader]: address.token },
      body: request.body,
      signal: ended.signal,
    });
    return isAnswer(response.status, request) ? response : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', end);
  }
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
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
    return { code: String(error.code), message: String(error.message) };
  }
  return { code: 'refused', message: 'the platform refused the request' };
}
