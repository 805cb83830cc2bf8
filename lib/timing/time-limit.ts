/** Limits of time: one for work that can be told to end, one for work that cannot. */
import { abortWith } from './abort-with.ts';

/**
 * Runs work with a signal that is aborted when `signal` is, and after `limitMs`, by default
 * with a TimeoutError as its reason. Returns what the work returns, and throws what it throws:
 * it is awaited in any case.
 */
export async function withinLimit<Result>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<Result>,
  reason?: Error,
): Promise<Result> {
  const controller = new AbortController();
  const unlink = abortWith(controller, signal);
  const timer = setTimeout(
    () =>
      controller.abort(reason ?? new DOMException(`no end after ${limitMs / 1000} seconds`, 'TimeoutError')),
    limitMs,
  );
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/**
 * Awaits work that cannot be ended, for `limitMs` at most: then returns what `late` returns, or throws what
 * it throws, and whatever becomes of the work is ignored.
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
