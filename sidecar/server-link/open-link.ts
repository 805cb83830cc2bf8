/**
 * The sockets of one MCP server: the agent's, and for an external server the one that its relay connects to.
 */
import type { Socket } from 'node:net';
import { agentServerSocket, relaySocket } from '../../contract/session-paths.ts';
import { serveConnection } from './gated-connection.ts';
import type { LinkDependencies } from './link-dependencies.ts';
import { closeServer, listenOnSocket } from './listen.ts';
import { createRelaySide } from './server-side.ts';

export interface Link {
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** A server behind a relay: one connection of the agent at a time, each with a fresh server process. */
export async function openExternalLink(dependencies: Omit<LinkDependencies, 'side'>): Promise<Link> {
  const side = createRelaySide();
  const relays = await listenOnSocket(relaySocket(dependencies.server), (socket) => side.offer(socket));
  const agent = await openLocalLink({ ...dependencies, side }, 1);
  return {
    async close() {
      side.close();
      await Promise.all([agent.close(), closeServer(relays)]);
    },
  };
}

/** A server inside this process. `concurrent`: max connections of the agent served concurrently. */
export async function openLocalLink(dependencies: LinkDependencies, concurrent: number): Promise<Link> {
  const agentSide = createAgentSide(dependencies, concurrent);
  const listener = await listenOnSocket(agentServerSocket(dependencies.server), (socket) =>
    agentSide.accept(socket),
  );
  return {
    close() {
      agentSide.closeAll();
      return closeServer(listener);
    },
  };
}

/**
 * The agent's connections to one server: as many at a time as the server accepts, the next ones are queued.
 */
interface AgentSide {
  /** Serves the connection, or queues it: a client may open a second one before it closes its first. */
  accept(socket: Socket): void;
  closeAll(): void;
}

const maxWaiting = 8;

/** `concurrent`: how many connections are served side by side. */
function createAgentSide(dependencies: LinkDependencies, concurrent: number): AgentSide {
  const waiting: Socket[] = [];
  const active = new Set<Socket>();

  const serve = async (socket: Socket) => {
    active.add(socket);
    dependencies.metrics.count('agent_connections_total', { server: dependencies.server });
    await serveConnection(socket, dependencies);
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
