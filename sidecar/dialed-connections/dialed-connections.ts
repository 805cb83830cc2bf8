/**
 * Connections that a program of another container opens ahead of use, and that are taken one by one: none is
 * ever opened into that container. All that runs in it sees this socket too, and connects as it likes; what
 * it gains is to be asked what the program would have been asked anyway.
 */
import type { Socket } from 'node:net';
import { closeServer, listenOnSocket, oneChunk } from '../server-link/listen.ts';

/** More are closed at once. Who dials keeps one. */
const mostIdle = 4;

export interface DialedConnections {
  /** One that nothing was sent on yet; null when there is none within `limitMs`, or `signal` is aborted. */
  take(limitMs: number, signal: AbortSignal): Promise<Socket | null>;
  close(): Promise<void>;
}

/** Throws when the socket cannot be created. */
export async function openDialedConnections(path: string): Promise<DialedConnections> {
  /** With what is called when one of them says anything. */
  const idle = new Map<Socket, () => void>();
  const open = new Set<Socket>();
  const waiting = new Set<(socket: Socket) => void>();
  const onConnection = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [first] = waiting;
    if (first !== undefined) {
      first(socket);
    } else if (idle.size < mostIdle) {
      watchIdle(socket);
    } else {
      socket.destroy();
    }
  };
  const server = await listenOnSocket(path, onConnection, oneChunk);

  /** Before it was asked anything, it may only close. */
  function watchIdle(socket: Socket): void {
    const drop = () => {
      idle.delete(socket);
      socket.destroy();
    };
    idle.set(socket, drop);
    socket.once('end', drop).once('close', drop).once('data', drop);
    socket.resume();
  }

  function takeIdle(): Socket | null {
    const [first] = idle;
    if (first === undefined) {
      return null;
    }
    const [socket, drop] = first;
    idle.delete(socket);
    socket.off('end', drop).off('close', drop).off('data', drop);
    return socket.pause();
  }

  return {
    async take(limitMs, signal) {
      const ready = signal.aborted ? null : takeIdle();
      if (ready !== null || signal.aborted) {
        return ready;
      }
      return new Promise((resolve) => {
        const settle = (socket: Socket | null) => {
          clearTimeout(timer);
          waiting.delete(settle);
          signal.removeEventListener('abort', giveUp);
          resolve(socket);
        };
        const giveUp = () => settle(null);
        const timer = setTimeout(giveUp, limitMs);
        waiting.add(settle);
        signal.addEventListener('abort', giveUp);
      });
    },
    close() {
      for (const socket of open) {
        socket.destroy();
      }
      return closeServer(server);
    },
  };
}
