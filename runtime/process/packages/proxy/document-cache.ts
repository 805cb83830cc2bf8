export interface Document {
  contentType: string;
  bytes: Uint8Array;
}

/** Overhead of the key and the entry itself. */
const entryBytes = 1024;

/**
 * Caches documents by key, including pending ones, so that repeated requests share the work. Bounded by
 * `maxBytes`; evicts the oldest first. Failures are not cached.
 */
export function createDocumentCache(
  maxBytes: number,
): (key: string, make: () => Promise<Document | null>) => Promise<Document | null> {
  const kept = new Map<string, { making: Promise<Document | null>; sizeBytes: number }>();
  let keptBytes = 0;
  const makeRoom = () => {
    for (const [key, { sizeBytes }] of kept) {
      if (keptBytes > maxBytes && sizeBytes > 0) {
        kept.delete(key);
        keptBytes -= sizeBytes;
      }
    }
  };
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) {
      return known.making;
    }
    const entry = { making: make(), sizeBytes: 0 };
    kept.set(key, entry);
    entry.making.then(
      (made) => {
        entry.sizeBytes = entryBytes + (made?.bytes.length ?? 0);
        keptBytes += entry.sizeBytes;
        makeRoom();
      },
      () => kept.delete(key),
    );
    return entry.making;
  };
}
