/** The end of what a stream said, as readable text: what a package manager says last is why it failed. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

const endMs = 500;

/** Resolves to the text as soon as the stream has ended, or shortly after it was asked for. */
export function createTail(stream: Readable | null, maxBytes: number): () => Promise<string> {
  let kept: Buffer = Buffer.alloc(0);
  const ended = stream === null ? Promise.resolve() : once(stream, 'end').catch(() => undefined);
  stream?.on('data', (piece: Buffer) => {
    kept = Buffer.concat([kept, piece]).subarray(-maxBytes);
  });
  return async () => {
    await Promise.race([ended, sleep(endMs)]);
    // Neither colours nor other controls.
    return stripVTControlCharacters(String(kept))
      .replace(/[^\P{C}\n]/gu, '')
      .trim();
  };
}
