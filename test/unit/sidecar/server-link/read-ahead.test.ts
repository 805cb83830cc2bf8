import { describe, expect, it } from '@jest/globals';
import { readAhead } from '../../../../sidecar/server-link/agent-lines.ts';

const limits = { items: 4, bytes: 100, sizeBytes: (item: number) => item };

/** Gives the items one by one, and counts what was taken. */
function createSource(items: readonly number[], error?: Error) {
  const source = { taken: 0, ended: false };
  const iterate = async function* () {
    try {
      for (const item of items) {
        source.taken += 1;
        yield [item];
      }
      if (error) {
        throw error;
      }
    } finally {
      source.ended = true;
    }
  };
  return { source, items: iterate() };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('readAhead', () => {
  it('yields everything in order', async () => {
    const { items } = createSource([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const seen: number[] = [];
    for await (const some of readAhead(items, limits, () => undefined)) {
      seen.push(...some);
      await turns();
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each([
    { what: 'the number of items', given: [1, 1, 1, 1, 1, 1, 1, 1], takenAhead: 4 },
    { what: 'their size', given: [60, 60, 60, 60, 60], takenAhead: 2 },
  ])('reads ahead no further than $what allows', async ({ given, takenAhead }) => {
    const { source, items } = createSource(given);
    const reader = readAhead(items, limits, () => undefined);
    const first = await reader.next();
    await turns();
    expect(source.taken).toBe((first.value ?? []).length + takenAhead);
    await reader.return(undefined);
  });

  it('returns unconsumed items, and releases the source', async () => {
    const { source, items } = createSource([1, 2, 3, 4, 5, 6, 7]);
    const left: number[] = [];
    const reader = readAhead(items, limits, (item) => left.push(item));
    const first = await reader.next();
    await turns();
    await reader.return(undefined);
    await turns();
    expect([...(first.value ?? []), ...left]).toEqual([1, 2, 3, 4, 5, 6, 7].slice(0, source.taken));
    expect(left.length).toBeGreaterThan(0);
    expect(source.ended).toBe(true);
  });

  it('yields what came before an error, then throws it', async () => {
    const { items } = createSource([1, 2], new Error('broken'));
    const seen: number[] = [];
    const readAll = async () => {
      for await (const some of readAhead(items, limits, () => undefined)) {
        seen.push(...some);
      }
    };
    await expect(readAll()).rejects.toThrow('broken');
    expect(seen).toEqual([1, 2]);
  });
});
