/** Which request a page shows: one at a time, and never exchanged for another by itself. Pure. */

export interface Queue {
  /** Shown until the person moves on, whatever happens to it meanwhile. */
  shown: string | null;
  /** Postponed by the person; they do not reopen by themselves. */
  putOff: readonly string[];
}

export const emptyQueue: Queue = { shown: null, putOff: [] };

/** What may be shown after it, of all that wait (oldest first). */
export function waitingAfter({ shown, putOff }: Queue, waiting: readonly string[]): string[] {
  return waiting.filter((id) => id !== shown && !putOff.includes(id));
}

/** Shows the oldest that waits when nothing is shown. Returns the same queue when nothing changes. */
export function withWaiting(queue: Queue, waiting: readonly string[]): Queue {
  const next = queue.shown === null ? waitingAfter(queue, waiting)[0] : undefined;
  return next === undefined ? queue : { ...queue, shown: next };
}

/**
 * Postpones all that wait now: none opens by itself. Returns the same queue when something is
 * shown or nothing changes.
 */
export function putOff(queue: Queue, waiting: readonly string[]): Queue {
  const isNew = queue.shown === null && waitingAfter(queue, waiting).length > 0;
  return isNew ? closed(queue, waiting) : queue;
}

/** The person is done with the one that is shown: continues with the next. */
export function toNext(queue: Queue, waiting: readonly string[]): Queue {
  const shown = waitingAfter(queue, waiting)[0] ?? null;
  return { shown, putOff: queue.shown === null ? queue.putOff : [...queue.putOff, queue.shown] };
}

/** The person closes the dialog: nothing that waits now opens it again, only what comes later. */
export function closed(queue: Queue, waiting: readonly string[]): Queue {
  return {
    shown: null,
    putOff: [...new Set([...queue.putOff, ...waiting, ...(queue.shown ? [queue.shown] : [])])],
  };
}

/** The person asks to see what waits. */
export function reopened(waiting: readonly string[]): Queue {
  return { shown: waiting[0] ?? null, putOff: [] };
}
