import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSharedBytes } from '../../../../lib/limits/byte-budget.ts';
import { checkProperty } from '../../../support/property.ts';

const user = (name: string) => ({ user: name });

describe('memory that owners share', () => {
  it('is refused beyond the share of an owner, and beyond the whole', () => {
    const shared = createSharedBytes({ totalBytes: 10, shareBytes: { user: 4 } });
    expect(shared(user('a')).tryTake(4)).toBe(true);
    expect(shared(user('a')).tryTake(1)).toBe(false);
    expect(shared(user('b')).tryTake(4)).toBe(true);
    expect(shared(user('c')).tryTake(3)).toBe(false);
    expect(shared(user('c')).tryTake(2)).toBe(true);
    shared(user('a')).give(4);
    expect(shared(user('c')).tryTake(2)).toBe(true);
  });

  it('is refused beyond the share of a workspace, which its people have together, and no place is taken by that', () => {
    const shared = createSharedBytes({ totalBytes: 12, shareBytes: { user: 4, workspace: 6 } });
    const of = (name: string, workspace: string | null) => shared({ user: name, workspace });
    expect([of('a', 'x').tryTake(4), of('b', 'x').tryTake(3), of('b', 'x').tryTake(2)]).toEqual([
      ...[true, false, true],
    ]);
    expect([of('b', null).tryTake(3), of('b', null).tryTake(2)]).toEqual([false, true]);
    expect([of('c', 'y').tryTake(4), of('d', 'z').tryTake(1)]).toEqual([true, false]);
    of('a', 'x').give(4);
    expect([of('d', 'x').tryTake(4), of('d', 'x').tryTake(1)]).toEqual([true, false]);
  });

  it('is given to others while an owner waits for room in its own share', async () => {
    const shared = createSharedBytes({ totalBytes: 10, shareBytes: { user: 4 } });
    expect(await shared(user('a')).take(4, 0)).toBe(true);
    const more = shared(user('a')).take(3, 60_000);
    expect(await shared(user('b')).take(4, 0)).toBe(true);
    shared(user('a')).give(4);
    expect(await more).toBe(true);
  });

  it('that did not become free in time counts no more', async () => {
    const shared = createSharedBytes({ totalBytes: 4, shareBytes: { user: 3 } });
    expect(await shared(user('a')).take(3, 0)).toBe(true);
    expect(await shared(user('a')).take(1, 0)).toBe(false);
    expect(await shared(user('b')).take(2, 0)).toBe(false);
    shared(user('a')).give(3);
    expect(await shared(user('b')).take(3, 0)).toBe(true);
    expect(await shared(user('a')).take(1, 0)).toBe(true);
  });

  it('never exceeds a limit, and all of it is free again in the end', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 4 }) });
    checkProperty(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shared = createSharedBytes({ totalBytes: 9, shareBytes: { user: 4 } });
        const taken: { owner: string; count: number }[] = [];
        const sum = (of: typeof taken) => of.reduce((total, { count }) => total + count, 0);
        for (const [at, each] of steps.entries()) {
          const own = sum(taken.filter(({ owner }) => owner === each.owner));
          const fits = own + each.count <= 4 && sum(taken) + each.count <= 9;
          expect(shared(user(each.owner)).tryTake(each.count)).toBe(fits);
          if (fits) {
            taken.push(each);
          }
          const [oldest] = at % 2 === 0 ? taken.splice(0, 1) : [];
          if (oldest !== undefined) {
            shared(user(oldest.owner)).give(oldest.count);
          }
        }
        for (const { owner, count } of taken) {
          shared(user(owner)).give(count);
        }
        expect([
          shared(user('a')).tryTake(4),
          shared(user('b')).tryTake(4),
          shared(user('c')).tryTake(1),
        ]).toEqual([true, true, true]);
      }),
    );
  });
});
