/** The agent's connections to one server: as many at a time as the server accepts, the next ones are queued. */
import type { Socket } from 'node:net';
import { serveConnection } from './gated-connection.ts';
import type { LinkParts } from './link-parts.ts';

export interface AgentSide {
  /** Serves the connection, or queues it: a client may open a second one before it closes its first (design 8). */
  accept(socket: Socket): void;
  closeAll(): void;
}

const maxWaiting = 8;

/** `concurrent`: how many connections are served side by side. */
export function createAgentSide(parts: LinkParts, concurrent: number): AgentSide {
  const waiting: Socket[] = [];
  const active = new Set<Socket>();

  const serve = async (socket: Socket) => {
    active.add(socket);
    parts.metrics.count('platform_agent_connections_total', { server: parts.server });
    await serveConnection(socket, parts);
    active.delete(socket);
    const next = waiting.shift();
    if (next) {
      void serve(next);
    }
  };

  return {
    accept(socket) {
      if (active.size < concurrent) {
        void serve(socket);
      } else if (waiting.length < maxWaiting) {
        waiting.push(socket);
      } else {
        socket.destroy();
      }
    },
    closeAll() {
      for (const socket of [...waiting.splice(0), ...active]) {
        socket.destroy();
      }
    },
  };
}
