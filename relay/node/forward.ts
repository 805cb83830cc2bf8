/** What reaches a service: connections that the relay opens to the gateway's socket, each copied to a port of the loopback. */
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyStream } from '../../lib/timing/copy-stream.ts';
import { connectToSocket } from './connect.ts';
import { firstByte } from './first-byte.ts';

const mostForwards = 64;
/** After an attempt that failed, and a connection that ended unused. */
const pauseMs = 200;
const stalledMs = 60_000;
/** For one side, when the other has said all. */
const lingerMs = 5000;

export interface ForwardOptions {
  gatewayPath: string;
  port: number;
  signal: AbortSignal;
}

/**
 * Keeps one idle connection to the gateway; the first byte on it opens a connection to the port, and the next idle one. Until aborted; returns when
 * the connections that were open then have ended.
 */
export async function forwardConnections({ gatewayPath, port, signal }: ForwardOptions): Promise<void> {
  const open = new Set<Socket>();
  while (!signal.aborted) {
    if (open.size >= mostForwards) {
      await Promise.race([...open].map(closed));
      continue;
    }
    const idle = await connectToSocket(gatewayPath, Number.POSITIVE_INFINITY, signal).catch(() => null);
    if (idle === null || !(await firstByte(idle, signal))) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    open.add(idle);
    idle.once('close', () => open.delete(idle));
    forward(idle, port);
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

function forward(gateway: Socket, port: number): void {
  const service = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  const end = () => {
    gateway.destroy();
    service.destroy();
  };
  // Its `close` is all that is needed, of both.
  service.on('error', () => undefined);
  service.once('close', () => gateway.destroySoon());
  gateway.once('close', end);
  const endSoon = () => setTimeout(end, lingerMs).unref();
  service.once('end', endSoon);
  // Whether it has left, or only said all, cannot be seen from here.
  gateway.once('end', endSoon);
  copyStream(gateway, service, { stalledMs, giveUp: end });
  copyStream(service, gateway, { stalledMs: null, giveUp: end });
}
