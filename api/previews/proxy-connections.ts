/**
 * The connections to services of previews that this process has open. Each takes a slot, and none outlives the right to read the preview: an event stream
 * or a WebSocket stays open for long, so what was checked when it began is checked again while it is.
 */
import { createOccupancy, type Leave } from '../middleware/occupancy.ts';

/** Of one preview, whoever asks; a page with more in parallel waits for its browser. */
const perPreview = 32;
/** Of one person, whatever they opened. */
const perVisitor = 64;
const perProcess = 256;
const retryAfterSeconds = 2;
const checkEveryMs = 15_000;

export interface ProxyConnection {
  previewId: string;
  /** Who opened it. */
  userId: string;
  /** Names the opening that it came by. */
  label: string;
  /** Of the gateway. */
  address: string;
}

export interface ProxyConnections {
  /** Takes a slot until the returned function is called; `end` is called when the connection may no longer be open. Throws `rate_limited`, naming the limit. */
  enter(connection: ProxyConnection, end: () => void): Leave;
}

/** `isOpen` says whether a visitor by this label may read the service at this address, now. Where it fails, nobody may. */
export function createProxyConnections(
  isOpen: (label: string, address: string) => Promise<boolean>,
  everyMs = checkEveryMs,
): ProxyConnections {
  const occupancy = (name: string, limit: number) => createOccupancy({ name, limit, retryAfterSeconds });
  const enterPreview = occupancy('connections to the service of a preview', perPreview);
  const enterVisitor = occupancy('connections of one person to services of previews', perVisitor);
  const enterProcess = occupancy('connections to services of previews', perProcess);
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
      const left: Leave[] = [];
      const leave = () => {
        open.delete(connection);
        for (const each of left) {
          each();
        }
      };
      try {
        left.push(enterPreview(connection.previewId));
        left.push(enterVisitor(connection.userId));
        left.push(enterProcess('all'));
      } catch (error) {
        leave();
        throw error;
      }
      open.set(connection, end);
      scheduleIfOpen();
      return leave;
    },
  };
}
