/**
 * HTTP on connections that are handed to it. Node keeps no limits of time on those of a server that does not
 * listen itself, so they are kept here.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerInOrder } from '../../lib/timing/answer-in-order.ts';
import type { ModelLimits } from './limits.ts';

const maxHeaderBytes = 32 * 1024;

/**
 * `answer` is called with each request. A connection ends when its next request has not begun to
 * arrive, with all its headers, within `requestMs`; for the body that is the caller's to see to. No
 * tunnels, no other protocols.
 */
export function createModelHttp(
  { requestMs }: Pick<ModelLimits, 'requestMs'>,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): { take(socket: Socket): void } {
  const http = createServer({
    keepAliveTimeout: requestMs,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
    requireHostHeader: false,
  });
  refuseProtocols(http);
  const waiting = new WeakMap<Socket, NodeJS.Timeout>();
  const wait = (socket: Socket) => {
    clearTimeout(waiting.get(socket));
    waiting.set(socket, setTimeout(() => socket.destroy(), requestMs).unref());
  };
  http.on(
    'request',
    answerInOrder((request, response) => {
      const { socket } = request;
      clearTimeout(waiting.get(socket));
      response.once('close', () => wait(socket));
      answer(request, response);
    }),
  );
  return {
    take(socket) {
      wait(socket);
      socket.once('close', () => clearTimeout(waiting.get(socket)));
      http.emit('connection', socket);
    },
  };
}

/** Without a listener a tunnel would end without a word, and another protocol be taken for a request. */
function refuseProtocols(http: Server): void {
  const refuse = (_request: unknown, socket: { end(text: string): unknown }) => {
    socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  };
  http.on('connect', refuse).on('upgrade', refuse);
}
