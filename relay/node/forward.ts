/**
 * What reaches a service or a sibling: connections that the relay opens to a socket of the sidecar, each
 * copied to a port of the loopback.
 */
import { createConnection, type Socket } from 'node:net';
import { type JoinLimits, joinConnections, joinLimits } from '../../lib/timing/join-connections.ts';
import { closed, keepConnections } from './keep-connections.ts';

const mostForwards = 64;
const limits: JoinLimits = { stalledMs: 60_000, silentMs: 5000, lingerMs: 5000 };

/** Where the relay keeps a connection, and what comes on it goes to. */
export interface Dialed {
  socketPath: string;
  port: number;
  /**
   * The first byte says that the connection is used and is not passed on: so a server that speaks first can,
   * too. Else it is the first of what is said.
   */
  isAnnounced: boolean;
}

/**
 * Keeps one idle connection; the first byte on it opens a connection to the port, and the next idle one.
 * Until aborted; returns when the connections that were open then have ended.
 */
export async function forwardConnections(dialed: Dialed, signal: AbortSignal): Promise<void> {
  const open = await keepConnections(
    dialed.socketPath,
    mostForwards,
    (idle) => forward(idle, dialed),
    signal,
  );
  await Promise.all([...open].map(closed));
}

function forward(dialed: Socket, { port, isAnnounced }: Dialed): void {
  if (isAnnounced) {
    dialed.read(1);
  }
  const service = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  joinConnections(dialed, service, isAnnounced ? joinLimits : limits);
}
