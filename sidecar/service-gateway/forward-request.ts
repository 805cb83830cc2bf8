/** One HTTP request to the service and its answer, both streamed. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CopyOptions, copyStream } from '../../lib/timing/copy-stream.ts';
import type { DialedConnections } from '../dialed-connections/dialed-connections.ts';
import { answerVisitor } from './answer-visitor.ts';
import { type Asked, askService } from './ask-service.ts';
import { requestHeaders } from './headers.ts';
import type { GatewayLimits } from './limits.ts';
import { refuse } from './refusal.ts';

/** For the rest of a request that was answered already. */
const restLimitMs = 2000;

export interface ForwardOptions {
  connections: DialedConnections;
  limits: GatewayLimits;
  /** The visitor waits to be told that its body is wanted. */
  expectsContinue: boolean;
}

export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { connections, limits, expectsContinue }: ForwardOptions,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  request.on('error', () => undefined);
  endUnreadRest(request, response);
  const socket = await connections.take(limits.connectMs, left.signal);
  if (socket === null) {
    refuse(response, 'service_unreachable');
    return;
  }
  const { method = '', url: target = '', rawHeaders } = request;
  const contentLength = request.headers['content-length'];
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const asked = askService(
    socket,
    {
      method,
      target,
      headers: requestHeaders(rawHeaders, method, { contentLength, isChunked }),
      limitMs: limits.answerMs,
    },
    {
      onAnswer(answer) {
        if (!answerVisitor(answer, response)) {
          refuse(response, 'service_failed', { closes: false });
          answer.destroy();
        }
      },
      onFailure: (code) => refuse(response, code, { closes: false }),
    },
  );
  if (asked === null) {
    return;
  }
  response.once('close', () => asked.outgoing.destroy());
  if (!isChunked && (contentLength ?? '0') === '0') {
    asked.outgoing.end();
    return;
  }
  if (expectsContinue) {
    response.writeContinue();
  }
  upload(request, asked, {
    stalledMs: limits.stalledMs,
    giveUp() {
      asked.fail('service_timeout');
      if (response.headersSent) {
        // The visitor sees that something is missing.
        response.destroy();
      }
    },
  });
}

function upload(request: IncomingMessage, { outgoing, progress }: Asked, options: CopyOptions): void {
  outgoing.flushHeaders();
  request.on('data', progress);
  copyStream(request, outgoing, options);
}

/** A visitor may still read the answer while it writes. */
function endUnreadRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (!request.complete) {
      const { socket } = request;
      const timer = setTimeout(() => socket.destroy(), restLimitMs);
      request.once('close', () => clearTimeout(timer));
      request.resume();
    }
  });
}
