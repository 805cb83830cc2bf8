/** Joining two connections, of somebody who asks and somebody who answers, until both are through. */
import type { Socket } from 'node:net';
import { copyStream } from './copy-stream.ts';

export interface JoinLimits {
  /**
   * How long bytes wait for the side that answers, when it takes none. The other may take its time:
   * that it has left is noticed.
   */
  stalledMs: number;
  /**
   * How long the side that answers may be silent once the other has said all: whether that one
   * has left cannot be seen.
   */
  silentMs: number;
  /** How long the side that asks has to end once the other has said all. */
  lingerMs: number;
}

/** A database may take none for long, as under a lock. */
export const joinLimits: JoinLimits = { stalledMs: 600_000, silentMs: 60_000, lingerMs: 5000 };

/**
 * Both have to allow half-open connections. Bytes and ends go both ways; what breaks one side ends the other,
 * once it was sent what is left for it.
 */
export function joinConnections(asking: Socket, answering: Socket, limits: JoinLimits): void {
  const { stalledMs, silentMs, lingerMs } = limits;
  const giveUp = () => {
    asking.destroy();
    answering.destroy();
  };
  let timer: NodeJS.Timeout | undefined;
  const giveUpAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, ms).unref();
  };
  for (const socket of [asking, answering]) {
    // Its `close` says all.
    socket.on('error', () => undefined);
  }
  asking.once('end', () => {
    giveUpAfter(silentMs);
    answering.on('data', () => giveUpAfter(silentMs));
  });
  answering.once('end', () => {
    giveUpAfter(lingerMs);
  });
  asking.once('close', () => {
    clearTimeout(timer);
    answering.destroy();
  });
  answering.once('close', () => asking.destroySoon());
  copyStream(asking, answering, { stalledMs, giveUp });
  copyStream(answering, asking, { stalledMs: null, giveUp });
  // They may have waited, paused.
  asking.resume();
  answering.resume();
}
