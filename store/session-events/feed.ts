/** Announcements of new session events: one listening connection for a whole process, made again when it is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sessionEventChannel } from './append.ts';

export interface SessionEventFeed {
  /**
   * Calls `wake` when the session may have new events, and after every interruption, since announcements may have
   * been missed then. It says nothing about which events: they are read from the table. Returns the way to stop.
   */
  subscribe(sessionId: string, wake: () => void): () => void;
  close(): Promise<void>;
}

const longestPauseMs = 2000;

/** Starts to listen at once, and goes on trying for as long as the feed is open. */
export function openSessionEventFeed(url: string): SessionEventFeed {
  const subscribers = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  const wakeAll = () => {
    for (const wakes of subscribers.values()) {
      for (const wake of wakes) {
        wake();
      }
    }
  };
  const onAnnouncement = (payload: string) => {
    for (const wake of subscribers.get(payload.split(':')[0] ?? '') ?? []) {
      wake();
    }
  };
  const running = keepListening(url, { onListening: wakeAll, onAnnouncement, signal: closing.signal });

  return {
    subscribe(sessionId, wake) {
      const wakes = subscribers.get(sessionId) ?? new Set();
      subscribers.set(sessionId, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && subscribers.get(sessionId) === wakes) {
          subscribers.delete(sessionId);
        }
      };
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

interface Listener {
  onListening(): void;
  onAnnouncement(payload: string): void;
  signal: AbortSignal;
}

async function keepListening(url: string, listener: Listener): Promise<void> {
  const { signal } = listener;
  for (let pauseMs = 50; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const connected = await listenOnce(url, listener);
    if (connected) {
      pauseMs = 50;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Listens until the connection is lost or the feed is closed. Returns whether there was a connection. */
async function listenOnce(url: string, { onListening, onAnnouncement, signal }: Listener): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'agent-platform-events',
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
  });
  let stop = (): void => undefined;
  const lost = new Promise<void>((resolve) => {
    stop = resolve;
  });
  client.on('error', stop);
  client.on('end', stop);
  signal.addEventListener('abort', stop);
  client.on('notification', ({ payload }) => onAnnouncement(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen ${sessionEventChannel}`);
    onListening();
    await lost;
    return true;
  } catch {
    return false;
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
