/**
 * What the gateway answers in the service's place: a sentence for the person who opened the preview, and
 * a code for the platform.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { serviceFailureHeader } from '../../contract/service-signature.ts';

const refusals = {
  unsigned: [401, 'This is not signed by the platform'],
  bad_request: [400, 'This request cannot be passed on to a service'],
  too_many_headers: [431, 'The request has too many headers'],
  upgrade_not_supported: [501, 'A connection can be upgraded to a WebSocket only'],
  busy: [503, 'The service is asked for too much at a time'],
  service_unreachable: [
    503,
    'The service does not take requests: it may be starting, or listen on another port',
  ],
  service_failed: [502, 'The service did not answer as HTTP has it'],
  service_timeout: [504, 'The service did not answer in time'],
} as const;

export type RefusalCode = keyof typeof refusals;

/**
 * With `closes` the connection ends as well, and what is left of the request is not read: a sender that still
 * writes may miss the answer.
 */
export function refuse(response: ServerResponse, code: RefusalCode, { closes = true } = {}): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const [status, sentence] = refusals[code];
  response.shouldKeepAlive &&= !closes;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    [serviceFailureHeader]: code,
  });
  response.end(`${sentence}.\n`);
}

/**
 * The answer to a request whose connection was to be upgraded, which is closed after it. Null while an
 * earlier one is still sent there.
 */
export function responseOn(request: IncomingMessage): ServerResponse | null {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  try {
    response.assignSocket(request.socket);
  } catch {
    return null;
  }
  // The server does so for its own.
  request.socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => request.socket.destroySoon());
  return response;
}
