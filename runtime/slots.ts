/** Bounds concurrency; later callers wait for a free slot, in order. */
export type Slots = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** The returned function throws the reason of `signal` as soon as that is aborted before a slot is free. */
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
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
    } else {
      await turn(waiting, signal);
    }
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

export type SlotsByKey = <Result>(
  key: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;

/** The same with `countOfKey` at most for each key, so that one that asks for much leaves room for others. */
export function createSlotsByKey(count: number, countOfKey: number): SlotsByKey {
  const ofAll = createSlots(count);
  const used = new Map<string, { slots: Slots; users: number }>();
  return async (key, signal, work) => {
    const ofKey = used.get(key) ?? { slots: createSlots(countOfKey), users: 0 };
    used.set(key, ofKey);
    ofKey.users += 1;
    try {
      return await ofKey.slots(signal, () => ofAll(signal, work));
    } finally {
      ofKey.users -= 1;
      if (ofKey.users === 0) {
        used.delete(key);
      }
    }
  };
}

/** Who gives up leaves the queue. */
function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(enter);
  });
}
