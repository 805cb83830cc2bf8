/** Bounds concurrency; later callers wait for a free slot, in order. */
export type Slots = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** The returned function throws the reason of `signal` when that is aborted before a slot is free. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) {
      free += 1;
    } else {
      next();
    }
  };
  return async (signal, work) => {
    if (free > 0) {
      free -= 1;
    } else {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      leave();
    }
  };
}
