/**
 * The only back-off outside the browser, whose queries and streams have their own
 * (web/src/api/event-stream.ts), workflows and the static relay in C. Of its own, since `p-retry` needs a
 * newer Node than this project does, and has no delays that start over for work that went well for a
 * while, such as a connection.
 */

export interface DelayOptions {
  firstDelayMs: number;
  /** Delays double up to this one; without it each is as long as the first. */
  maxDelayMs?: number;
}

export interface Delays {
  /** The delay before the next attempt, in milliseconds. */
  next(): number;
  /** Starts over with the first one, such as after a success. */
  reset(): void;
}

/** A sequence of growing delays. */
export function createDelays({ firstDelayMs, maxDelayMs = firstDelayMs }: DelayOptions): Delays {
  let upcomingMs = firstDelayMs;
  return {
    next() {
      const delayMs = upcomingMs;
      upcomingMs = Math.min(delayMs * 2, maxDelayMs);
      return delayMs;
    },
    reset() {
      upcomingMs = firstDelayMs;
    },
  };
}

export interface RetryOptions extends DelayOptions {
  /** In all; unlimited by default. */
  attempts?: number;
  /** No attempt begins later than this after the call. */
  limitMs?: number;
  /** Ends the delay and all further attempts. An attempt that runs is the work's own to end. */
  signal?: AbortSignal | undefined;
  /** Errors that it returns false for are thrown at once. */
  isRetryable?(error: unknown): boolean;
  /** Called before each delay with the cause, for the log. */
  onRetry?(error: unknown, delayMs: number): void;
  /** False: a delay does not keep the process alive. */
  ref?: boolean;
}

/**
 * Runs the work, again and again after growing delays, until it succeeds; returns its result. At least one
 * attempt is made. Throws the error of the last attempt when no further one is allowed, also when `signal` is
 * aborted. Long-lived work resets the delays that it is given.
 */
export async function retry<Result>(
  work: (delays: Delays) => Promise<Result>,
  { attempts = Infinity, limitMs = Infinity, signal, isRetryable, onRetry, ref, ...given }: RetryOptions,
): Promise<Result> {
  const deadlineMs = performance.now() + limitMs;
  const delays = createDelays(given);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(delays);
    } catch (error) {
      const delayMs = delays.next();
      const isLast = attempt >= attempts || performance.now() + delayMs >= deadlineMs;
      if (isLast || signal?.aborted || isRetryable?.(error) === false) {
        throw error;
      }
      onRetry?.(error, delayMs);
      await pause(delayMs, signal, ref);
      if (signal?.aborted) {
        throw error;
      }
    }
  }
}

function pause(delayMs: number, signal: AbortSignal | undefined, ref = true): Promise<void> {
  if (signal?.aborted) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    if (!ref) {
      timer.unref();
    }
    signal?.addEventListener('abort', end);
  });
}
