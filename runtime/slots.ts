/** Bounds how many run at once; who comes later waits for a free place, in order. */
export type Slots = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** What it returns throws the reason of `signal` when that is aborted before a place is free. */
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
