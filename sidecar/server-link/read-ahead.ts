/** Reads ahead from a source, so that what an item waits for can begin while earlier ones are still handled. */

export interface ReadAheadLimits<Item> {
  items: number;
  bytes: number;
  sizeBytes(item: Item): number;
}

/**
 * Yields everything that the source has produced since the last time, in order. When the items taken but not yielded reach
 * a limit, the source waits. Unconsumed items go to `onLeft`. Throws the source's error after the items before it.
 */
export async function* readAhead<Item>(
  source: AsyncIterable<Item[]>,
  limits: ReadAheadLimits<Item>,
  onLeft: (item: Item) => void,
): AsyncGenerator<Item[]> {
  const end = { reached: false, failed: false, error: undefined as unknown };
  let taken: Item[] = [];
  let bytes = 0;
  let abandoned = false;
  let wakeReader = () => {};
  let wakeTaker = () => {};

  const takeAll = async () => {
    try {
      for await (const items of source) {
        if (abandoned) {
          items.forEach(onLeft);
          break;
        }
        taken.push(...items);
        bytes += items.reduce((sum, item) => sum + limits.sizeBytes(item), 0);
        wakeReader();
        if (taken.length >= limits.items || bytes >= limits.bytes) {
          await new Promise<void>((resolve) => {
            wakeTaker = resolve;
          });
        }
      }
    } catch (error) {
      end.failed = true;
      end.error = error;
    }
    end.reached = true;
    wakeReader();
  };

  void takeAll();
  try {
    while (taken.length > 0 || !end.reached) {
      if (taken.length === 0) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      } else {
        const items = taken;
        taken = [];
        bytes = 0;
        wakeTaker();
        yield items;
      }
    }
  } finally {
    abandoned = true;
    wakeTaker();
    taken.forEach(onLeft);
  }
  if (end.failed) {
    throw end.error;
  }
}
