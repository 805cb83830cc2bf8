/** The images of one session are read two at a time. */
import { expect, it } from '@jest/globals';
import { readImages } from '../../../activities/sessions/read-images.ts';
import type { FrozenImage } from '../../../contract/session.ts';

const references = Array.from({ length: 33 }, (_, at) => `registry.test/image:${at}`);
const imageOf = (reference: string): FrozenImage => ({ digest: reference, command: ['/run'], volumes: [] });

/** Reads that the test ends one by one. */
function heldReads() {
  const begun: { reference: string; end(): void; fail(error: Error): void }[] = [];
  const read = (reference: string) =>
    new Promise<FrozenImage>((resolve, reject) => {
      begun.push({ reference, end: () => resolve(imageOf(reference)), fail: reject });
    });
  return { begun, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('reads two concurrently, and returns them in order', async () => {
  const { begun, read } = heldReads();
  const reading = readImages(references, read);
  for (let ended = 0; ended < references.length; ended += 1) {
    await settled();
    expect(begun).toHaveLength(Math.min(ended + 2, references.length));
    // The later of the two ends first.
    begun[ended === 0 ? 1 : ended === 1 ? 0 : ended]?.end();
  }
  expect([...(await reading)]).toEqual(references.map((reference) => [reference, imageOf(reference)]));
});

it('starts no other once one cannot be read', async () => {
  const { begun, read } = heldReads();
  const reading = readImages(references, read);
  await settled();
  begun[1]?.fail(new Error('not there'));
  await expect(reading).rejects.toThrow('not there');
  begun[0]?.end();
  await settled();
  expect(begun).toHaveLength(2);
});
