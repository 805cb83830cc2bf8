/** What reaches a service or a sibling: connections that the relay opens to a socket of the sidecar, each copied to a port of the loopback. */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JoinLimits, joinConnections, joinLimits } from '../../lib/timing/join-connections.ts';
import { connectToSocket } from './connect.ts';
import { firstByte } from './first-byte.ts';

const mostForwards = 64;
/** After an attempt that failed, and a connection that ended unused. */
const pauseMs = 200;

const limits: JoinLimits = { stalledMs: 60_000, silentMs: 5000, lingerMs: 5000 };

/** Where the relay keeps a connection, and what comes on it goes to. */
export interface Dialed {
  socketPath: string;
  port: number;
  /**
   * The first byte says that the connection is used and is not passed on: so a server that speaks first can, too. Else it is the first of what is
   * said.
   */
  isAnnounced: boolean;
}

/**
 * Keeps one idle connection; the first byte on it opens a connection to the port, and the next idle one. Until aborted; returns when the connections
 * that were open then have ended.
 */
export async function forwardConnections(dialed: Dialed, signal: AbortSignal): Promise<void> {
  const open = new Set<Socket>();
  while (!signal.aborted) {
    if (open.size >= mostForwards) {
      await Promise.race([...open].map(closed));
      continue;
    }
    const idle = await connectToSocket(dialed.socketPath, Number.POSITIVE_INFINITY, signal).catch(() => null);
    if (idle === null || !(await firstByte(idle, signal))) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    open.add(idle);
    idle.once('close', () => open.delete(idle));
    forward(idle, dialed);
  }
  await Promise.all([...open].map(closed));
}

/** However it ends. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) {
      resolve();
    } else {
      socket.once('close', () => resolve());
    }
  });

function forward(dialed: Socket, { port, isAnnounced }: Dialed): void {
  if (isAnnounced) {
    dialed.read(1);
  }
  const service = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  joinConnections(dialed, service, isAnnounced ? joinLimits : limits);
}
