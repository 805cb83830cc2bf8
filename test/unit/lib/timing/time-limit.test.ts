import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { abandonAfter, withinLimit } from '../../../../lib/timing/time-limit.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Work that ends with the reason of its signal. */
const untilAborted = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) {
    await once(signal, 'abort');
  }
  throw signal.reason;
};

describe('work within a limit', () => {
  it('gives its result, and leaves no timer', async () => {
    expect(await withinLimit(1000, undefined, async () => 'done')).toBe('done');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is aborted when its time is over, and told why', async () => {
    const result = withinLimit(2000, undefined, untilAborted).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(2000);
    expect(await result).toMatchObject({ name: 'TimeoutError', message: 'no end after 2 seconds' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is aborted with the reason that was given', async () => {
    const tooSlow = new Error('too slow');
    const result = expect(withinLimit(2000, undefined, untilAborted, tooSlow)).rejects.toBe(tooSlow);
    await jest.advanceTimersByTimeAsync(2000);
    await result;
  });

  it.each(['before', 'while'])('is aborted %s it runs, with the reason of the signal', async (when) => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    if (when === 'before') {
      stopping.abort(reason);
    }
    const result = expect(withinLimit(2000, stopping.signal, untilAborted)).rejects.toBe(reason);
    stopping.abort(reason);
    await result;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is awaited even when it takes no notice', async () => {
    const slow = new Promise((resolve) => setTimeout(() => resolve('late'), 5000));
    const result = withinLimit(1000, undefined, () => slow);
    await jest.advanceTimersByTimeAsync(5000);
    expect(await result).toBe('late');
  });
});

describe('work that is abandoned', () => {
  const never = new Promise<never>(() => undefined);

  it('gives its result in time, and leaves no timer', async () => {
    const late = jest.fn();
    expect(await abandonAfter(1000, Promise.resolve('done'), late)).toBe('done');
    await expect(abandonAfter(1000, Promise.reject(new Error('cause')), late)).rejects.toThrow('cause');
    expect(jest.getTimerCount()).toBe(0);
    expect(late).not.toHaveBeenCalled();
  });

  it('gives what stands for it when it is late', async () => {
    const result = abandonAfter(1000, never, () => null);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await result).toBeNull();
  });

  it('fails with the error for what is late, and its own is ignored', async () => {
    let fail = (_error: Error): void => undefined;
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const result = expect(
      abandonAfter(1000, work, () => {
        throw new Error('it took too long');
      }),
    ).rejects.toThrow('it took too long');
    await jest.advanceTimersByTimeAsync(1000);
    await result;
    fail(new Error('nobody hears this'));
    await jest.advanceTimersByTimeAsync(1);
  });
});
