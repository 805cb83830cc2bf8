/**
 * Connections that are opened ahead of their use, so that nothing connects into the
 * container of who is asked.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToSocket } from './connect.ts';
import { firstByte } from './first-byte.ts';

/** After an attempt that failed, and a connection that ended unused. */
const pauseMs = 200;

/**
 * Keeps one idle connection; the first byte on it, which stays unread, gives it to `take`, and opens the
 * next: one on which nothing is said is in nobody's way. Until `signal` is aborted; returns the
 * connections that are open then.
 */
export async function keepConnections(
  path: string,
  most: number,
  take: (socket: Socket) => void,
  signal: AbortSignal,
): Promise<ReadonlySet<Socket>> {
  const open = new Set<Socket>();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!signal.aborted) {
    if (open.size >= most) {
      await Promise.race([aborted, ...[...open].map(closed)]);
      continue;
    }
    const idle = await connectToSocket(path, Number.POSITIVE_INFINITY, signal).catch(() => null);
    if (idle === null || !(await firstByte(idle, signal))) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    open.add(idle);
    idle.once('close', () => open.delete(idle));
    take(idle);
  }
  return open;
}

/** However it ends. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) {
      resolve();
    } else {
      socket.once('close', () => resolve());
    }
  });
