/**
 * Takes exact numbers of bytes from a stream of chunks, holding at most one chunk beyond what was asked for.
 */
export class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** Exactly `size` bytes, or fewer when the stream ends early. `size` is bounded by the caller. */
  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = size;
    while (missing > 0 && (await this.fill())) {
      const part = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** Skips `size` bytes; returns how many there were. */
  async skip(size: number): Promise<number> {
    let missing = size;
    while (missing > 0 && (await this.fill())) {
      const passed = Math.min(missing, this.rest.length);
      this.rest = this.rest.subarray(passed);
      missing -= passed;
    }
    return size - missing;
  }

  /** False at the end of the stream. */
  private async fill(): Promise<boolean> {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done === true) {
        return false;
      }
      this.rest = value;
    }
    return true;
  }
}
