/** A socket of the sidecar whose connections are copied to and from ones that another container dials. */
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { type JoinLimits, joinConnections } from '../../lib/timing/join-connections.ts';
import { closeServer, listenOnSocket, oneChunk } from '../server-link/listen.ts';
import { type DialedConnections, openDialedConnections } from './dialed-connections.ts';

/**
 * Sent first, once a dialed connection is used; its program reads it, passes nothing of it on, and dials the
 * next one. Without it, whoever asks and says nothing would keep all others waiting, and a server that
 * speaks first would never know.
 */
const announcement = Buffer.of(1);

export interface CopyLimits extends JoinLimits {
  /** More are closed at once. */
  mostConnections: number;
  /** For a connection of the other container. */
  connectMs: number;
}

export interface CopiedSocketOptions {
  /** Where is asked. */
  path: string;
  /** Where the program that answers dials. */
  dialedPath: string;
  /** What is said to one that nobody answers in time; without it, it is closed without a word. */
  unanswered?: string | undefined;
  limits: CopyLimits;
}

export interface CopiedSocket {
  close(): Promise<void>;
}

/** What is asked before anybody dials waits. Throws when a socket cannot be created. */
export async function openCopiedSocket({
  path,
  dialedPath,
  unanswered,
  limits,
}: CopiedSocketOptions): Promise<CopiedSocket> {
  const dialed = await openDialedConnections(dialedPath);
  const open = new Set<Socket>();
  const closing = new AbortController();
  setMaxListeners(limits.mostConnections, closing.signal);
  const onConnection = (asking: Socket) => {
    if (open.size >= limits.mostConnections) {
      asking.destroy();
      return;
    }
    open.add(asking);
    asking.once('close', () => open.delete(asking));
    void connect(asking, { dialed, unanswered, limits, signal: closing.signal });
  };
  const server = await listenOnSocket(path, onConnection, oneChunk);
  return {
    async close() {
      closing.abort();
      for (const socket of open) {
        socket.destroy();
      }
      await Promise.all([closeServer(server), dialed.close()]);
    },
  };
}

async function connect(
  asking: Socket,
  {
    dialed,
    unanswered,
    limits,
    signal,
  }: Pick<CopiedSocketOptions, 'unanswered' | 'limits'> & {
    dialed: DialedConnections;
    signal: AbortSignal;
  },
): Promise<void> {
  const answering = await dialed.take(limits.connectMs, signal);
  if (answering === null || asking.destroyed) {
    endUnanswered(asking, unanswered, signal.aborted ? 0 : limits.lingerMs);
    answering?.destroy();
    return;
  }
  answering.write(announcement);
  joinConnections(asking, answering, limits);
}

/** What it has sent is taken and dropped: with bytes unread, the system would drop the answer instead. */
function endUnanswered(asking: Socket, text: string | undefined, lingerMs: number): void {
  if (text === undefined || asking.destroyed || lingerMs === 0) {
    asking.destroy();
    return;
  }
  asking.resume().end(text);
  setTimeout(() => asking.destroy(), lingerMs).unref();
}
