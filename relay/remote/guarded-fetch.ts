/**
 * The `fetch` of the SDK's transport: every request goes through the guard, with the credential, and every
 * answer is checked and sealed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { HttpAnswer, HttpMethod } from '../../lib/outbound/send.ts';
import { retry } from '../../lib/timing/retry.ts';
import { type CredentialDependencies, sendAuthorized } from './authorized-request.ts';
import type { OpenMessages } from './open-messages.ts';
import { RemoteError } from './remote-error.ts';
import { type AnswerDependencies, sealGetAnswer, sealPostAnswer } from './sealed-answer.ts';
import type { ServerStream } from './sealed-stream.ts';
import { StreamPosition } from './stream-position.ts';

interface FetchDependencies extends AnswerDependencies {
  url: URL;
  credential: CredentialDependencies;
  messages: OpenMessages;
}

/** Names the message that a request is made for; it is not sent. */
export const keyHeader = 'bridge-key';
/** The key of the server's own stream. */
const ownKey = '0';
/** A server in trouble, and one that has not noticed yet that a stream's connection broke (409). */
const temporary = new Set([409, 429, 502, 503, 504]);

/** What a request of the transport consists of. */
interface Requested {
  headers: Record<string, string>;
  hadSession: boolean;
  signal: AbortSignal;
}

/** Refuses every other address than that of `url`. What it throws, the transport's `send` throws. */
export function createGuardedFetch(dependencies: FetchDependencies): FetchLike {
  const own = { key: ownKey, position: new StreamPosition(dependencies.limits), open: null };
  return async (address, init) => {
    const { url } = dependencies;
    if (new URL(address).href !== url.href) {
      throw new RemoteError(
        'address_refused',
        `Only ${url.host} is asked, at the address of the catalog entry`,
      );
    }
    const headers = new Headers(init?.headers);
    const key = headers.get(init?.method === 'POST' ? keyHeader : 'last-event-id');
    const hadSession = headers.has('mcp-session-id');
    headers.delete(keyHeader);
    headers.delete('last-event-id');
    const requested = {
      headers: Object.fromEntries(headers),
      hadSession,
      signal: init?.signal ?? new AbortController().signal,
    };
    switch (init?.method) {
      case 'POST':
        return post(dependencies, key, requested);
      case 'GET':
        return get(
          dependencies,
          { ...streamOf(dependencies, own, key), signal: requested.signal },
          requested,
        );
      default:
        return end(dependencies, requested);
    }
  };
}

async function post(
  dependencies: FetchDependencies,
  key: string | null,
  requested: Requested,
): Promise<Response> {
  const open = dependencies.messages.byKey(key ?? '');
  if (open === null) {
    throw new RemoteError('invalid_message', 'The request was cancelled before it was sent');
  }
  const { message, bytes } = open;
  const isModernNotification = message.kind === 'notification' && message.revision !== null;
  const headers = isModernNotification
    ? { ...requested.headers, 'mcp-protocol-version': message.revision ?? '', 'mcp-method': message.method }
    : requested.headers;
  const answer = await send(dependencies, 'POST', bytes, { ...requested, headers }, () => open.markSent());
  open.release();
  return sealPostAnswer(dependencies, open, answer, requested);
}

type Stream = Omit<ServerStream, 'signal'>;

function streamOf({ messages }: FetchDependencies, own: Stream, key: string | null): Stream {
  const open = key === null || key === ownKey ? null : messages.byKey(key);
  if (open === null && key !== null && key !== ownKey) {
    throw new RemoteError('invalid_message', 'The request of this stream has ended');
  }
  return open === null ? own : { key: open.key, position: open.position, open };
}

/**
 * Opens a stream, or continues it. Asking again does nothing at the server, so it is done for as long as
 * somebody waits for the stream.
 */
async function get(
  dependencies: FetchDependencies,
  stream: ServerStream,
  requested: Requested,
): Promise<Response> {
  const { limits, fail } = dependencies;
  const { position, open } = stream;
  const attempt = async () => {
    const last = position.lastEventId;
    const headers = { ...requested.headers, ...(last === null ? {} : { 'last-event-id': last }) };
    const answer = await send(dependencies, 'GET', null, { ...requested, headers });
    if (answer.status === 405) {
      answer.body.destroy();
      return new Response(null, { status: 405 });
    }
    if (temporary.has(answer.status)) {
      answer.body.destroy();
      throw new RemoteError(
        'server_unavailable',
        `${answer.url.host} opens no stream for now (${answer.status})`,
      );
    }
    return sealGetAnswer(dependencies, stream, answer, requested.hadSession);
  };
  try {
    await pause(position.nextDelayMs(), requested.signal);
    return await retry(attempt, {
      firstDelayMs: limits.firstReconnectMs,
      maxDelayMs: limits.lastReconnectMs,
      limitMs: open === null ? Infinity : limits.resumeMs,
      signal: requested.signal,
      isRetryable: isTrouble,
    });
  } catch (error) {
    if (!requested.signal.aborted) {
      fail(open, error);
    }
    throw error;
  }
}

const isTrouble = (error: unknown): boolean =>
  error instanceof OutboundError
    ? /^(unreachable|connection_refused|timed_out)$/.test(error.code)
    : error instanceof RemoteError && error.code === 'server_unavailable';

/** A courtesy to the server, whose answer changes nothing. */
async function end(dependencies: FetchDependencies, requested: Requested): Promise<Response> {
  const answer = await send(dependencies, 'DELETE', null, requested);
  answer.body.destroy();
  return new Response(null, { status: 200 });
}

function send(
  { url, credential, limits }: FetchDependencies,
  method: HttpMethod,
  body: Buffer | null,
  { headers, signal }: Requested,
  onSent?: () => void,
): Promise<HttpAnswer> {
  const { connectMs, subscriptionSilenceMs, silenceMs } = limits;
  const limitMs = method === 'GET' ? subscriptionSilenceMs : silenceMs;
  return sendAuthorized(
    credential,
    { method, url, headers, body, connectMs, silenceMs: limitMs, onSent },
    signal,
  );
}

/** Waits; returns early when the signal is aborted. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
