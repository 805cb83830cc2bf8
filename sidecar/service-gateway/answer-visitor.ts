import type { IncomingMessage, ServerResponse } from 'node:http';
import { copyStream } from '../../lib/timing/copy-stream.ts';
import { endToEnd, pairsOf } from './headers.ts';

const noContent = 204;

/** Streams the service's answer. False when its head cannot be passed on; then nothing was sent. */
export function answerVisitor(answer: IncomingMessage, response: ServerResponse): boolean {
  const { statusCode = 0, headers, rawHeaders } = answer;
  answer.on('error', () => undefined);
  try {
    response.sendDate = false;
    response.statusCode = statusCode;
    for (const [name, value] of pairsOf(endToEnd(rawHeaders))) {
      response.appendHeader(name, value);
    }
    const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
    if (length !== undefined && statusCode !== noContent) {
      response.setHeader('content-length', length);
    }
  } catch {
    for (const name of response.getHeaderNames()) {
      response.removeHeader(name);
    }
    return false;
  }
  // An event stream may say nothing for long.
  response.flushHeaders();
  copyStream(answer, response, { stalledMs: null, giveUp: () => undefined });
  answer.once('close', () => {
    if (!answer.complete) {
      // The visitor sees that something is missing.
      response.destroy();
    }
  });
  return true;
}
