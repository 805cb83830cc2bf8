/**
 * Requests that a client sends ahead of an answer, on one connection. Node hands each over as soon as its
 * head has arrived: its work, its answer and whatever waits for its end would be kept until the earlier
 * answers have been read, and for ever when the connection closes before that.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait on one connection for the answers to earlier ones. Browsers and other ordinary
 * clients send none ahead.
 */
const mostAhead = 8;

/**
 * Calls `listener` with a request when all earlier ones of its connection have been answered. Those that wait
 * when the connection closes are dropped, and a connection with more of them than a few is closed.
 */
export function answerInOrder(listener: RequestListener): RequestListener {
  const ahead = new WeakMap<Socket, number>();
  const wait = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const count = (ahead.get(socket) ?? 0) + 1;
    if (count > mostAhead) {
      socket.destroy();
      return;
    }
    ahead.set(socket, count);
    // Node gives a response its connection once the earlier ones are finished; they emit
    // `close` before the next tick.
    response.once('socket', () => {
      process.nextTick(() => {
        ahead.set(socket, (ahead.get(socket) ?? 1) - 1);
        if (!socket.destroyed) {
          listener(request, response);
        }
      });
    });
  };
  return (request, response) => {
    if (response.socket === null) {
      wait(request, response);
    } else {
      listener(request, response);
    }
  };
}
