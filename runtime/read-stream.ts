import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The last `tailBytes` of a stream as text, starting at a whole character. */
export async function readTail(stream: Readable, tailBytes: number): Promise<string> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    kept.push(bytes);
    keptBytes += bytes.length;
    if (keptBytes > 2 * tailBytes) {
      kept = [Buffer.concat(kept).subarray(-tailBytes)];
      keptBytes = tailBytes;
    }
  }
  const all = Buffer.concat(kept);
  const tail = all.subarray(Math.max(0, all.length - tailBytes));
  // A split character is dropped, so that the text is not longer than requested.
  const start = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? '' : tail.subarray(start).toString('utf8');
}

/** Complete lines, without line feeds; an unfinished last line is dropped. Throws the stream's errors. */
export async function* readTextLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
