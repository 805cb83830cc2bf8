/** The sockets of one MCP server: the agent's, and for an external server the one that its relay connects to. */
import { agentServerSocket, relaySocket } from '../session-paths.ts';
import { createAgentSide } from './agent-side.ts';
import type { LinkParts } from './link-parts.ts';
import { closeServer, listenOnSocket } from './listen.ts';
import { createRelaySide } from './server-side.ts';

export interface Link {
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** A server behind a relay: one connection of the agent at a time, each with a fresh server process. */
export async function openExternalLink(parts: Omit<LinkParts, 'side'>): Promise<Link> {
  const side = createRelaySide();
  const relays = await listenOnSocket(relaySocket(parts.server), (socket) => side.offer(socket));
  const agent = await openLocalLink({ ...parts, side }, 1);
  return {
    async close() {
      side.close();
      await Promise.all([agent.close(), closeServer(relays)]);
    },
  };
}

/** A server inside this process. `concurrent`: max connections of the agent served concurrently. */
export async function openLocalLink(parts: LinkParts, concurrent: number): Promise<Link> {
  const agentSide = createAgentSide(parts, concurrent);
  const listener = await listenOnSocket(agentServerSocket(parts.server), (socket) =>
    agentSide.accept(socket),
  );
  return {
    close() {
      agentSide.closeAll();
      return closeServer(listener);
    },
  };
}
