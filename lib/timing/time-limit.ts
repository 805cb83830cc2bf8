/**
 * Limits of time: one for work that can be told to end, one for work that cannot. With a timer of its own: on Node 20 a timeout inside a
 * combined signal may be garbage-collected before its time is over, and then never fires.
 */

/**
 * Runs work with a signal that is aborted when `signal` is, and after `limitMs`, by default with a TimeoutError as its reason. Returns
 * what the work returns, and throws what it throws: it is awaited in any case.
 */
export async function withinLimit<Result>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<Result>,
  reason?: Error,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () =>
      controller.abort(reason ?? new DOMException(`no end after ${limitMs / 1000} seconds`, 'TimeoutError')),
    limitMs,
  );
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted) {
      abort();
    }
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Awaits work that cannot be ended, for `limitMs` at most: then returns what `late` returns, or throws what it throws, and whatever
 * becomes of the work is ignored.
 */
export async function abandonAfter<Result, Late>(
  limitMs: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
