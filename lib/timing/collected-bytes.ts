/**
 * Bytes that arrive in chunks of any size, as one piece of memory. A list of the chunks would do for honest
 * senders: of bytes that come one by one each takes about a kilobyte there.
 */

const leastBytes = 4096;

export class CollectedBytes {
  #memory = Buffer.alloc(0);
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  push(chunk: Uint8Array): void {
    const sizeBytes = this.#sizeBytes + chunk.length;
    if (sizeBytes > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(sizeBytes, 2 * this.#memory.length, leastBytes));
      this.#memory.copy(larger, 0, 0, this.#sizeBytes);
      this.#memory = larger;
    }
    this.#memory.set(chunk, this.#sizeBytes);
    this.#sizeBytes = sizeBytes;
  }

  /** All that was pushed, in the collection's own memory: nothing is pushed afterwards. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#sizeBytes);
  }
}

export interface CollectOptions {
  maxBytes: number;
  /** What is thrown as soon as there are more. */
  tooLarge(): Error;
  /** Called with the size of each chunk before it is taken; what it throws ends the collection. */
  onChunk?(sizeBytes: number): void;
}

/** All bytes of a body. Throws what its chunks throw, and as the options say. */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, tooLarge, onChunk }: CollectOptions,
): Promise<Buffer> {
  const collected = new CollectedBytes();
  for await (const chunk of chunks) {
    if (collected.sizeBytes + chunk.length > maxBytes) {
      throw tooLarge();
    }
    onChunk?.(chunk.length);
    collected.push(chunk);
  }
  return collected.bytes;
}
