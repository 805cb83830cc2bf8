/** The tail of a stream, as readable text: a package manager's last output is why it failed. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';

const endMs = 500;

/** Resolves to the text when the stream has ended, or shortly after the call. */
export function createTail(stream: Readable | null, maxBytes: number): () => Promise<string> {
  let kept: Buffer = Buffer.alloc(0);
  let isCut = false;
  const ended: Promise<unknown> =
    stream === null ? Promise.resolve() : once(stream, 'end').catch(() => undefined);
  stream?.on('data', (piece: Buffer) => {
    const all = Buffer.concat([kept, piece]);
    isCut ||= all.length > maxBytes;
    kept = all.subarray(-maxBytes);
  });
  return async () => {
    await abandonAfter(endMs, ended, () => undefined);
    // Strips colours and other control sequences.
    const text = String(kept);
    // The rest of a line that was cut might begin within a credential, which nobody would recognise then.
    const whole = isCut ? text.replace(/^.*\n?/, '') : text;
    return stripVTControlCharacters(whole)
      .replace(/[^\P{C}\n]/gu, '')
      .trim();
  };
}
