/**
 * The control port: API and worker deliver input and read health and metrics. Every request is signed with
 * the session's control key; nothing beyond the head is read, and nothing done or answered, before the
 * signature is checked.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isSignedBody, verifyControlHead } from '../../contract/session-keys.ts';
import { controlRequestHeader, injectRequest } from '../../contract/sidecar.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import { createHttp } from '../http/listen-http.ts';
import { parseJsonBody, readRequestBody } from '../http/read-body.ts';
import { type Inbox, InputGapError } from '../inputs/inbox.ts';
import type { Metrics } from '../metrics.ts';

interface ControlDependencies {
  controlKey: string;
  inbox: Inbox;
  metrics: Metrics;
  sessionId: string;
}

/** Total of all bodies being read at a time, and so the max of one. */
const maxBodyBytes = 32 * 1024 * 1024;
const limits = { headersTimeout: 10_000, requestTimeout: 30_000, maxConnections: 64 };

/** The server, not listening yet. */
export function createControlHttp(dependencies: ControlDependencies): Server {
  const readBody = createBodyReader(maxBodyBytes);
  return createHttp(limits, (request, response) => handle(request, response, dependencies, readBody));
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: ControlDependencies,
  readBody: ReadSignedBody,
): Promise<void> {
  const { method = '', url: path = '' } = request;
  const header = request.headers[controlRequestHeader];
  if (typeof header !== 'string') {
    throw new HttpRefusal('unauthenticated', 'the request is not signed');
  }
  const signed = verifyControlHead(dependencies.controlKey, header, { method, path, nowMs: Date.now() });
  if (signed === null) {
    throw new HttpRefusal('unauthenticated', 'the signature does not fit this request');
  }
  const body = await readBody(request, signed.sizeBytes);
  if (!isSignedBody(signed, body)) {
    throw new HttpRefusal('unauthenticated', 'the body is not the one that was signed');
  }
  switch (`${method} ${path}`) {
    case 'POST /inject':
      return sendJson(response, 200, inject(body, dependencies));
    case 'GET /health':
      return sendJson(response, 200, {
        status: 'ok',
        session_id: dependencies.sessionId,
        last_seq: dependencies.inbox.lastSeq,
      });
    case 'GET /metrics':
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
      response.end(dependencies.metrics.render());
      return;
    default:
      throw new HttpRefusal('not_found', 'the control port does not serve this');
  }
}

function inject(body: Buffer, { inbox, metrics }: ControlDependencies): { ok: true; last_seq: number } {
  const { messages } = parseJsonBody(body, injectRequest);
  const before = inbox.lastSeq;
  try {
    inbox.accept(messages);
  } catch (error) {
    throw error instanceof InputGapError ? new HttpRefusal('conflict', error.message) : error;
  } finally {
    for (let taken = before; taken < inbox.lastSeq; taken += 1) {
      metrics.count('inputs_total');
    }
  }
  return { ok: true, last_seq: inbox.lastSeq };
}

/** Reads a body whose size was signed. Throws HttpRefusal; a longer body is not read to its end. */
type ReadSignedBody = (request: IncomingMessage, sizeBytes: number) => Promise<Buffer>;

/** All bodies being read at a time hold max `maxBytes` together; a sender without room has to resend. */
export function createBodyReader(maxBytes: number): ReadSignedBody {
  let heldBytes = 0;
  return async (request, sizeBytes) => {
    if (sizeBytes > maxBytes) {
      throw new HttpRefusal('too_large', `the body may have ${maxBytes} bytes at most`);
    }
    if (heldBytes + sizeBytes > maxBytes) {
      throw new HttpRefusal('unavailable', 'other requests are being read; send it again');
    }
    heldBytes += sizeBytes;
    try {
      return await readRequestBody(request, sizeBytes);
    } catch (error) {
      throw error instanceof HttpRefusal
        ? new HttpRefusal('unauthenticated', 'the body is longer than the one that was signed')
        : error;
    } finally {
      heldBytes -= sizeBytes;
    }
  };
}
