/** Announcements of what changed: one listening connection per process, re-established when it is lost. */
import pg from 'pg';
import { productSlug } from '../../contract/product-name.ts';
import { type Delays, retry } from '../../lib/timing/retry.ts';
import { sessionEventChannel } from './append.ts';

/** Channel of the announcements of the triggers on members and sign-ins; each is a user's id. */
const accessChannel = 'access_changes';

export interface SessionEventFeed {
  /**
   * Calls `wake` when the session may have new events, and after every interruption, since
   * announcements may have been missed then. It does not say which events: they are read from the
   * table. Returns the unsubscribe function.
   */
  subscribe(sessionId: string, wake: () => void): () => void;
  /** Likewise for all sessions of a workspace, with the type of the event; null after an interruption. */
  subscribeWorkspace(workspaceId: string, wake: (eventType: string | null) => void): () => void;
  /** Calls `wake` when the user's memberships or sign-ins may have changed, and after every interruption. */
  subscribeUser(userId: string, wake: () => void): () => void;
  close(): Promise<void>;
}

type Wake = (detail: string | null) => void;

const delays = { firstDelayMs: 50, maxDelayMs: 2000 };

/** Starts to listen at once, and reconnects for as long as the feed is open. */
export function openSessionEventFeed(url: string): SessionEventFeed {
  const subscribers = new Subscribers();
  const closing = new AbortController();
  const onAnnouncement = (channel: string, payload: string) => {
    if (channel === accessChannel) {
      subscribers.wake(`user ${payload}`, null);
      return;
    }
    const [sessionId, , workspaceId, eventType = null] = payload.split(':');
    subscribers.wake(`session ${sessionId}`, null);
    subscribers.wake(`workspace ${workspaceId}`, eventType);
  };
  const { signal } = closing;
  const listen = ({ reset }: Delays) => {
    const onListening = () => {
      reset();
      subscribers.wakeAll();
    };
    return listenUntilLost(url, { onListening, onAnnouncement, signal });
  };
  // Ends with the last error when the feed is closed.
  const running = retry(listen, { ...delays, signal }).catch(() => undefined);

  return {
    subscribe: (sessionId, wake) => subscribers.add(`session ${sessionId}`, wake),
    subscribeWorkspace: (workspaceId, wake) => subscribers.add(`workspace ${workspaceId}`, wake),
    subscribeUser: (userId, wake) => subscribers.add(`user ${userId}`, wake),
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** The callbacks to wake, by key. */
class Subscribers {
  private readonly byKey = new Map<string, Set<Wake>>();

  add(key: string, callback: Wake): () => void {
    // The same function added twice is two subscriptions.
    const wake: Wake = (detail) => callback(detail);
    const wakes = this.byKey.get(key) ?? new Set();
    this.byKey.set(key, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0 && this.byKey.get(key) === wakes) {
        this.byKey.delete(key);
      }
    };
  }

  wake(key: string, detail: string | null): void {
    for (const wake of this.byKey.get(key) ?? []) {
      wake(detail);
    }
  }

  wakeAll(): void {
    for (const key of this.byKey.keys()) {
      this.wake(key, null);
    }
  }
}

interface Listener {
  onListening(): void;
  onAnnouncement(channel: string, payload: string): void;
  signal: AbortSignal;
}

/**
 * Listens until the connection is lost or the feed is closed; then throws, and before
 * when there is no connection.
 */
async function listenUntilLost(
  url: string,
  { onListening, onAnnouncement, signal }: Listener,
): Promise<never> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `${productSlug}-events`,
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
  client.on('notification', ({ channel, payload }) => onAnnouncement(channel, payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen ${sessionEventChannel}`);
    await client.query(`listen ${accessChannel}`);
    onListening();
    await lost;
    throw new Error('the connection was lost');
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
