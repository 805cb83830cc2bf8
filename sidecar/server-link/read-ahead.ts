/** Takes from a source before its turn, so that what an item has to wait for can begin while earlier ones are still handled. */

export interface ReadAheadLimits<Item> {
  items: number;
  bytes: number;
  sizeBytes(item: Item): number;
}

/**
 * Yields the source's items in their order. Up to the limits, and one item more, are taken ahead; then the source waits. What
 * was taken and is not wanted any more goes to `onLeft`. Throws the source's error after the items before it.
 */
export async function* readAhead<Item>(
  source: AsyncIterable<Item>,
  limits: ReadAheadLimits<Item>,
  onLeft: (item: Item) => void,
): AsyncGenerator<Item> {
  const taken: Item[] = [];
  let bytes = 0;
  const end = { reached: false, failed: false, error: undefined as unknown };
  let abandoned = false;
  let wakeReader = () => {};
  let wakeTaker = () => {};
  const isFull = () => taken.length >= limits.items || bytes >= limits.bytes;

  const takeAll = async () => {
    try {
      for await (const item of source) {
        if (abandoned) {
          onLeft(item);
          break;
        }
        taken.push(item);
        bytes += limits.sizeBytes(item);
        wakeReader();
        if (isFull()) {
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
    for (;;) {
      const item = taken.shift();
      if (item !== undefined) {
        bytes -= limits.sizeBytes(item);
        if (!isFull()) {
          wakeTaker();
        }
        yield item;
      } else if (end.reached) {
        break;
      } else {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
    }
  } finally {
    abandoned = true;
    wakeTaker();
    taken.splice(0).forEach(onLeft);
  }
  if (end.failed) {
    throw end.error;
  }
}
