/**
 * Runs work with a signal that is aborted when `signal` is, and after `limitMs`. With its own timer: on Node 20 a combined
 * signal may be garbage-collected before its time is over, and then never fires.
 */
export async function withinLimit<Result>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new Error(`no end after ${limitMs / 1000} seconds`)),
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
