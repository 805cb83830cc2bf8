/**
 * The connections to services of previews that this process has open. Each takes a place, and none outlives
 * the right to read the preview: an event stream or a WebSocket stays open for long, so what was checked when
 * it began is checked again while it is.
 */
import { createShares, type Leave } from '../middleware/concurrency-limit.ts';

/** A page with more in parallel waits for its browser. */
const limits = {
  name: 'connections to services of previews',
  whole: 256,
  shares: { preview: 32, visitor: 64, workspace: 128 },
  retryAfterSeconds: 2,
};
const checkEveryMs = 15_000;

export interface ProxyConnection {
  previewId: string;
  workspaceId: string;
  /** Who opened it. */
  userId: string;
  /** Names the opening that it came by. */
  label: string;
  /** Of the gateway. */
  address: string;
}

export interface ProxyConnections {
  /**
   * Takes a place until the returned function is called; `end` is called when the connection may no longer be
   * open. Throws `rate_limited`, naming the limit.
   */
  enter(connection: ProxyConnection, end: () => void): Leave;
}

/**
 * `isOpen` says whether a visitor by this label may read the service at this address, now.
 * Where it fails, nobody may.
 */
export function createProxyConnections(
  isOpen: (label: string, address: string) => Promise<boolean>,
  everyMs = checkEveryMs,
): ProxyConnections {
  const enterShares = createShares(limits);
  const open = new Map<ProxyConnection, () => void>();
  let isScheduled = false;

  const checkAll = async () => {
    // One question for all of an opening, and one at a time: visitors' requests ask the same database.
    const answers = new Map<string, Promise<boolean>>();
    for (const [connection, end] of [...open]) {
      const { label, address } = connection;
      const key = `${label} ${address}`;
      const answer = answers.get(key) ?? isOpen(label, address).catch(() => false);
      answers.set(key, answer);
      if (!(await answer) && open.has(connection)) {
        end();
      }
    }
  };
  const schedule = () => {
    isScheduled = true;
    setTimeout(async () => {
      await checkAll();
      isScheduled = false;
      scheduleIfOpen();
    }, everyMs).unref();
  };
  const scheduleIfOpen = () => {
    if (open.size > 0 && !isScheduled) {
      schedule();
    }
  };

  return {
    enter(connection, end) {
      const { previewId: preview, userId: visitor, workspaceId: workspace } = connection;
      const leaveShares = enterShares({ preview, visitor, workspace });
      open.set(connection, end);
      scheduleIfOpen();
      return () => {
        open.delete(connection);
        leaveShares();
      };
    },
  };
}
