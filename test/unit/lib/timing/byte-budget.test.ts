import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSharedBytes } from '../../../../lib/timing/byte-budget.ts';
import { checkProperty } from '../../../support/property.ts';

describe('memory that owners share', () => {
  it('is refused beyond the share of an owner, and beyond the whole', () => {
    const shared = createSharedBytes({ totalBytes: 10, shareBytes: 4 });
    expect(shared('a').tryTake(4)).toBe(true);
    expect(shared('a').tryTake(1)).toBe(false);
    expect(shared('b').tryTake(4)).toBe(true);
    expect(shared('c').tryTake(3)).toBe(false);
    expect(shared('c').tryTake(2)).toBe(true);
    shared('a').give(4);
    expect(shared('c').tryTake(2)).toBe(true);
  });

  it('is given to others while an owner waits for room in its own share', async () => {
    const shared = createSharedBytes({ totalBytes: 10, shareBytes: 4 });
    expect(await shared('a').take(4, 0)).toBe(true);
    const more = shared('a').take(3, 60_000);
    expect(await shared('b').take(4, 0)).toBe(true);
    shared('a').give(4);
    expect(await more).toBe(true);
  });

  it('that did not become free in time counts no more', async () => {
    const shared = createSharedBytes({ totalBytes: 4, shareBytes: 3 });
    expect(await shared('a').take(3, 0)).toBe(true);
    expect(await shared('a').take(1, 0)).toBe(false);
    expect(await shared('b').take(2, 0)).toBe(false);
    shared('a').give(3);
    expect(await shared('b').take(3, 0)).toBe(true);
    expect(await shared('a').take(1, 0)).toBe(true);
  });

  it('never exceeds a limit, and all of it is free again in the end', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 4 }) });
    checkProperty(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shared = createSharedBytes({ totalBytes: 9, shareBytes: 4 });
        const taken: { owner: string; count: number }[] = [];
        const sum = (of: typeof taken) => of.reduce((total, { count }) => total + count, 0);
        for (const [at, each] of steps.entries()) {
          const own = sum(taken.filter(({ owner }) => owner === each.owner));
          const fits = own + each.count <= 4 && sum(taken) + each.count <= 9;
          expect(shared(each.owner).tryTake(each.count)).toBe(fits);
          if (fits) {
            taken.push(each);
          }
          const [oldest] = at % 2 === 0 ? taken.splice(0, 1) : [];
          if (oldest !== undefined) {
            shared(oldest.owner).give(oldest.count);
          }
        }
        for (const { owner, count } of taken) {
          shared(owner).give(count);
        }
        expect([shared('a').tryTake(4), shared('b').tryTake(4), shared('c').tryTake(1)]).toEqual([
          true,
          true,
          true,
        ]);
      }),
    );
  });
});
