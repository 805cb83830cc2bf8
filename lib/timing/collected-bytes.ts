/** Bytes that arrive in chunks of any size, as one piece of memory. A list of the chunks would do for honest senders: of bytes that come one by one each takes about a kilobyte there. */

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
