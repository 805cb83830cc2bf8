import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  createKeyedSemaphore,
  createSemaphore,
  createSharedSemaphore,
  withPermit,
} from '../../../../lib/limits/semaphore.ts';

const plentyMs = 60_000;
const never = new AbortController().signal;

describe('a semaphore', () => {
  it('gives its permits in the order of arrival, and each back once', async () => {
    const semaphore = createSemaphore({ permits: 2, maxWaiting: 10 });
    const [first, second] = [await semaphore.acquire(), semaphore.tryAcquire()];
    expect([typeof first, typeof second, semaphore.tryAcquire()]).toEqual(['function', 'function', null]);
    const order: string[] = [];
    const waits = ['a', 'b'].map((name) =>
      semaphore.acquire({ maxWaitMs: plentyMs }).then((release) => {
        order.push(name);
        return release;
      }),
    );
    first?.();
    first?.();
    const released = await waits[0];
    expect(order).toEqual(['a']);
    released?.();
    await waits[1];
    expect(order).toEqual(['a', 'b']);
    expect(semaphore.tryAcquire()).toBeNull();
  });

  it('refuses whoever waits too long, or beyond those that may wait, and loses no permit thereby', async () => {
    const semaphore = createSemaphore({ permits: 1, maxWaiting: 1 });
    const release = semaphore.tryAcquire();
    const waiting = semaphore.acquire({ maxWaitMs: 50 });
    expect(await semaphore.acquire({ maxWaitMs: plentyMs })).toBeNull();
    expect(await waiting).toBeNull();
    release?.();
    expect(semaphore.tryAcquire()).toEqual(expect.any(Function));
    expect(semaphore.tryAcquire()).toBeNull();
  });

  it('refuses at once where nobody may wait', async () => {
    const semaphore = createSemaphore({ permits: 1, maxWaiting: 0 });
    semaphore.tryAcquire();
    expect(await semaphore.acquire()).toBeNull();
  });

  it('gives nobody else’s permit to those who gave up, before or while they waited', async () => {
    const semaphore = createSemaphore({ permits: 1 });
    const release = semaphore.tryAcquire();
    const giving = new AbortController();
    const waiting = semaphore.acquire({ signal: giving.signal });
    const last = semaphore.acquire({ signal: never });
    giving.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    release?.();
    (await last)?.();
    await expect(semaphore.acquire({ signal: giving.signal })).rejects.toThrow('given up');
    expect(semaphore.tryAcquire()).toEqual(expect.any(Function));
  });
});

describe('a semaphore for each key', () => {
  it('has permits of its own, which are forgotten with the last one', async () => {
    const semaphore = createKeyedSemaphore({ maxWaiting: 1 });
    const one = { key: 'one', permits: 1 };
    const release = semaphore.tryAcquire(one);
    expect(semaphore.tryAcquire(one)).toBeNull();
    expect(semaphore.tryAcquire({ key: 'other', permits: 1 })).toEqual(expect.any(Function));
    const next = semaphore.acquire(one);
    expect(await semaphore.acquire(one)).toBeNull();
    release?.();
    (await next)?.();
    // A key that nobody holds may have another number of permits.
    const more = { key: 'one', permits: 2 };
    expect([semaphore.tryAcquire(more), semaphore.tryAcquire(more)]).not.toContain(null);
    expect(semaphore.tryAcquire(more)).toBeNull();
  });
});

/** Work that ends when it is told to. */
function held() {
  let end = () => {};
  const given = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isRunning = false;
  return {
    end: () => end(),
    isRunning: () => isRunning,
    async work() {
      isRunning = true;
      await given;
      isRunning = false;
    },
  };
}

describe('work under a permit', () => {
  it('holds it until it has ended, or failed', async () => {
    const semaphore = createSemaphore({ permits: 1 });
    const [first, second] = [held(), held()];
    const all = [first, second].map(({ work }) => withPermit(semaphore.acquire(), work));
    await setImmediate();
    expect([first.isRunning(), second.isRunning()]).toEqual([true, false]);
    first.end();
    await all[0];
    await setImmediate();
    expect(second.isRunning()).toBe(true);
    second.end();
    await Promise.all(all);
    const failed = withPermit(semaphore.acquire(), () => Promise.reject(new Error('it failed')));
    await expect(failed).rejects.toThrow('it failed');
    expect(semaphore.tryAcquire()).toEqual(expect.any(Function));
  });

  it('does not begin without one', async () => {
    const semaphore = createSemaphore({ permits: 1, maxWaiting: 0 });
    semaphore.tryAcquire();
    const work = () => Promise.reject(new Error('it must not begin'));
    await expect(withPermit(semaphore.acquire(), work)).rejects.toThrow('there is no permit');
  });
});

describe('a shared semaphore', () => {
  it('leaves permits to other keys, however much one asks for', async () => {
    const withSharedPermit = createSharedSemaphore({ permits: 4, permitsOfKey: 2 });
    const greedy = Array.from({ length: 10 }, held);
    const other = held();
    const all = greedy.map(({ work }) => withSharedPermit('greedy', never, work));
    const ofOther = withSharedPermit('other', never, other.work);
    await setImmediate();
    expect(greedy.filter(({ isRunning }) => isRunning())).toHaveLength(2);
    expect(other.isRunning()).toBe(true);
    for (const { end } of [...greedy, other]) {
      end();
    }
    await Promise.all([...all, ofOther]);
  });

  it('lets go at once who gives up, whatever it waits for', async () => {
    const withSharedPermit = createSharedSemaphore({ permits: 1, permitsOfKey: 1 });
    const running = held();
    const all = [withSharedPermit('a', never, running.work)];
    const giving = new AbortController();
    const begins = () => Promise.reject(new Error('it must not begin'));
    const gaveUp = ['a', 'b'].map((key) => withSharedPermit(key, giving.signal, begins));
    const last = held();
    all.push(withSharedPermit('b', never, last.work));
    giving.abort(new Error('given up'));
    const rejected = { status: 'rejected', reason: expect.objectContaining({ message: 'given up' }) };
    expect(await Promise.allSettled(gaveUp)).toEqual([rejected, rejected]);
    running.end();
    await all[0];
    await setImmediate();
    expect(last.isRunning()).toBe(true);
    last.end();
    await Promise.all(all);
  });
});
