/**
 * Responses that wait for an earlier one of their connection, as of requests that a client sends ahead. Node 20 tells only the one that is being sent that
 * the connection has closed. The others would never end, and whatever waits for their end would be kept for ever.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** From now on each of them is destroyed and emits `close` when its connection closes. */
export function endQueuedResponses(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  const queueOf = (socket: Socket): Set<ServerResponse> => {
    const known = queues.get(socket);
    if (known !== undefined) {
      return known;
    }
    const queue = new Set<ServerResponse>();
    queues.set(socket, queue);
    socket.once('close', () => {
      for (const response of queue) {
        if (response.socket === null) {
          response.destroy();
          response.emit('close');
        }
      }
    });
    return queue;
  };
  // Before the application has it.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket === null) {
      const queue = queueOf(socket).add(response);
      const forget = () => queue.delete(response);
      response.once('finish', forget).once('close', forget);
    }
  });
}
