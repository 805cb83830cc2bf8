/** Guarded requests whose answers may go on for hours: silence is limited, not the whole. */
import { abortWith } from '../timing/abort-with.ts';
import { abandonAfter } from '../timing/time-limit.ts';
import { explainConnectionError } from './connection-errors.ts';
import { OutboundError } from './errors.ts';
import {
  type HttpAnswer,
  isRedirect,
  type OutboundContext,
  type OutgoingRequest,
  refusedRedirect,
  send,
} from './send.ts';

const keepAliveMs = 60_000;

export interface StreamRequest extends OutgoingRequest {
  url: URL;
  /** From the look-up until the request is sent. */
  connectMs: number;
  /** From then until the headers of the answer. */
  silenceMs: number;
}

/**
 * Makes the request and returns its answer, whose body must be read or destroyed. No redirect is
 * followed. `context.signal` ends the request, and the body with its reason. Throws OutboundError and
 * nothing else, but for that reason.
 */
export async function openStream(context: OutboundContext, request: StreamRequest): Promise<HttpAnswer> {
  const { url } = request;
  const controller = new AbortController();
  const unlink = abortWith(controller, context.signal);
  try {
    const body = await answerOf({ ...context, signal: controller.signal }, request);
    const { statusCode: status = 0, headers } = body;
    if (isRedirect(status)) {
      throw refusedRedirect(url, headers.location);
    }
    // A peer that vanished is noticed although nobody speaks.
    body.socket.setKeepAlive(true, keepAliveMs);
    const end = () => body.destroy(controller.signal.reason);
    controller.signal.addEventListener('abort', end);
    body.once('close', () => {
      controller.signal.removeEventListener('abort', end);
      unlink();
    });
    return { url, status, headers, body };
  } catch (error) {
    unlink();
    controller.abort();
    throw context.signal.aborted ? context.signal.reason : explainConnectionError(url, error);
  }
}

/** Work that is late is ended by the caller, who aborts the signal. */
async function answerOf(context: OutboundContext, request: StreamRequest): Promise<HttpAnswer['body']> {
  const { url, connectMs, silenceMs, onSent = () => undefined } = request;
  let isSent = () => {};
  const sent = new Promise<void>((resolve) => {
    isSent = resolve;
  });
  const answer = send(context, url, {
    ...request,
    onSent: () => {
      isSent();
      onSent();
    },
  });
  const late = (what: string, limitMs: number) => () => {
    throw new OutboundError('timed_out', `${url.host} ${what} for ${limitMs / 1000} seconds`);
  };
  await abandonAfter(connectMs, Promise.race([sent, answer]), late('took no request', connectMs));
  return abandonAfter(silenceMs, answer, late('sent no answer', silenceMs));
}
