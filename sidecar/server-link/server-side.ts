/** Where connections to an MCP server come from. */

import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';

export interface ServerSide {
  /** A fresh, unused connection; null on timeout. */
  connect(timeoutMs: number): Promise<Duplex | null>;
}

/** The relay of an external server: it connects by itself, ahead of use, and again after each connection. */
export interface RelaySide extends ServerSide {
  /** Accepts a relay's connection. One waits at a time; a second one is closed. */
  offer(socket: Socket): void;
  /** Releases all waiters. */
  close(): void;
}

/** An idle connection is not read otherwise, so this detects the end of its relay. */
function dropEnded(this: Socket): void {
  if (this.readableLength === 0) {
    this.destroy();
  }
}

export function createRelaySide(): RelaySide {
  let idle: Socket | null = null;
  const waiting = new Set<(socket: Socket | null) => void>();
  const forget = () => {
    idle = null;
  };
  return {
    offer(socket) {
      const [waiter] = waiting;
      if (waiter) {
        waiter(socket);
      } else if (idle) {
        socket.destroy();
      } else {
        idle = socket;
        socket.on('readable', dropEnded);
        socket.once('close', forget);
      }
    },
    connect(timeoutMs) {
      if (idle && !idle.destroyed) {
        const socket = idle;
        forget();
        socket.off('readable', dropEnded);
        socket.off('close', forget);
        return Promise.resolve(socket);
      }
      return new Promise((resolve) => {
        const settle = (socket: Socket | null) => {
          clearTimeout(timer);
          waiting.delete(settle);
          resolve(socket);
        };
        const timer = setTimeout(() => settle(null), timeoutMs);
        waiting.add(settle);
      });
    },
    close() {
      idle?.destroy();
      for (const settle of [...waiting]) {
        settle(null);
      }
    },
  };
}

/** A server inside this process: every connection is served by `serve`. */
export function createLocalSide(serve: (connection: Duplex) => Promise<void>): ServerSide {
  return {
    async connect() {
      const [near, far] = duplexPair();
      near.on('error', () => undefined);
      far.on('error', () => undefined);
      await serve(far);
      return near;
    },
  };
}
