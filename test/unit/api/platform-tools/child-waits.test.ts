/** The waits of calls for another session, without a database. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createChildWaits } from '../../../../api/platform-tools/child-waits.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function feed() {
  const wakes = new Map<string, Set<() => void>>();
  return {
    open: () => [...wakes.values()].reduce((sum, { size }) => sum + size, 0),
    announce: (id: string) => wakes.get(id)?.forEach((wake) => void wake()),
    subscribe(id: string, wake: () => void) {
      wakes.set(id, (wakes.get(id) ?? new Set()).add(wake));
      return () => void wakes.get(id)?.delete(wake);
    },
  };
}
const of = (sessionId: string, seconds = 20) => ({ sessionId, watchedId: 'child', seconds });

it('is woken by what is announced while nobody listens', async () => {
  const announced = feed();
  const wait = createChildWaits(announced).begin(of('parent'));
  announced.announce('child');
  announced.announce('child');
  expect(await wait.untilWoken()).toBe(true);
  const next = wait.untilWoken();
  jest.advanceTimersByTime(20_000);
  expect(await next).toBe(false);
  expect(await wait.untilWoken()).toBe(false);
});

it('is not woken by another session', async () => {
  const announced = feed();
  const waiting = createChildWaits(announced).begin(of('parent')).untilWoken();
  announced.announce('parent');
  jest.advanceTimersByTime(20_000);
  expect(await waiting).toBe(false);
});

describe('of one session', () => {
  it('two wait; one that ends gives its place to the next', async () => {
    const announced = feed();
    const waits = createChildWaits(announced);
    const [first] = [waits.begin(of('parent')), waits.begin(of('parent'))];
    const third = waits.begin(of('parent'));
    expect(await third.untilWoken()).toBe(false);
    expect([first?.isCrowded, third.isCrowded]).toEqual([false, true]);
    third.end();
    expect(announced.open()).toBe(2);
    expect(await waits.begin(of('parent')).untilWoken()).toBe(false);
    waits.begin(of('other'));
    expect(announced.open()).toBe(3);
    first?.end();
    waits.begin(of('parent'));
    expect(announced.open()).toBe(3);
  });

  it('one of no seconds takes no place', async () => {
    const announced = feed();
    const waits = createChildWaits(announced);
    expect(await waits.begin(of('parent', 0)).untilWoken()).toBe(false);
    expect(announced.open()).toBe(0);
  });
});

it('leaves nothing behind', () => {
  const announced = feed();
  const wait = createChildWaits(announced).begin(of('parent'));
  wait.end();
  expect(announced.open()).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});
