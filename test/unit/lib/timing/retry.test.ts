import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDelays, retry } from '../../../../lib/timing/retry.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Work that fails as often as there are errors; notes when each attempt began. */
function failing(...errors: Error[]) {
  const startedMs = performance.now();
  const attemptsMs: number[] = [];
  const work = async () => {
    attemptsMs.push(Math.round(performance.now() - startedMs));
    const error = errors[attemptsMs.length - 1];
    if (error !== undefined) {
      throw error;
    }
    return 'done';
  };
  return { work, attemptsMs };
}
const errors = (count: number) => Array.from({ length: count }, (_, at) => new Error(`cause ${at + 1}`));

describe('a retry', () => {
  it('begins at once, waits longer each time up to the maximum, and names each cause', async () => {
    const { work, attemptsMs } = failing(...errors(5));
    const causes: [string, number][] = [];
    const onRetry = (error: unknown, delayMs: number) => causes.push([(error as Error).message, delayMs]);
    const result = retry(work, { firstDelayMs: 100, maxDelayMs: 400, onRetry });
    await jest.runAllTimersAsync();
    expect(await result).toBe('done');
    expect(attemptsMs).toEqual([0, 100, 300, 700, 1100, 1500]);
    expect(causes).toEqual([
      ['cause 1', 100],
      ['cause 2', 200],
      ['cause 3', 400],
      ['cause 4', 400],
      ['cause 5', 400],
    ]);
  });

  it('waits equally long without a maximum', async () => {
    const { work, attemptsMs } = failing(...errors(3));
    const result = retry(work, { firstDelayMs: 250 });
    await jest.runAllTimersAsync();
    await result;
    expect(attemptsMs).toEqual([0, 250, 500, 750]);
  });

  it.each([
    ['after the allowed attempts', { attempts: 2 }, 'cause 2', [0, 100]],
    ['when no attempt would begin within the limit', { limitMs: 250 }, 'cause 3', [0, 100, 200]],
    ['on an error that stays', { isRetryable: () => false }, 'cause 1', [0]],
  ])('gives up %s, with the last error', async (_when, options, cause, begun) => {
    const { work, attemptsMs } = failing(...errors(9));
    const result = expect(retry(work, { firstDelayMs: 100, ...options })).rejects.toThrow(cause);
    await jest.runAllTimersAsync();
    await result;
    expect(attemptsMs).toEqual(begun);
  });

  it('ends at once when it is aborted while it waits, and leaves no timer', async () => {
    const { work, attemptsMs } = failing(...errors(9));
    const stopping = new AbortController();
    const result = expect(retry(work, { firstDelayMs: 1000, signal: stopping.signal })).rejects.toThrow(
      'cause 1',
    );
    await jest.advanceTimersByTimeAsync(10);
    expect(jest.getTimerCount()).toBe(1);
    stopping.abort();
    await result;
    expect(jest.getTimerCount()).toBe(0);
    expect(attemptsMs).toEqual([0]);
  });

  it('makes no other attempt when it is aborted during one, whose result still counts', async () => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const onRetry = jest.fn();
    const fails = async () => {
      stopping.abort();
      throw new Error('cause');
    };
    await expect(retry(fails, { firstDelayMs: 100, signal, onRetry })).rejects.toThrow('cause');
    expect(onRetry).not.toHaveBeenCalled();
    expect(await retry(async () => 'done', { firstDelayMs: 100, signal })).toBe('done');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('starts over with the first delay after work that went well for a while', async () => {
    let attempts = 0;
    const delays: number[] = [];
    const result = retry(
      async ({ reset }) => {
        attempts += 1;
        if (attempts === 3) {
          reset();
        }
        if (attempts < 5) {
          throw new Error('lost');
        }
      },
      { firstDelayMs: 100, maxDelayMs: 1000, onRetry: (_error, delayMs) => delays.push(delayMs) },
    );
    await jest.runAllTimersAsync();
    await result;
    expect(delays).toEqual([100, 200, 100, 200]);
  });

  it('does not keep the process alive when it is told so', async () => {
    const isReferenced = async (ref?: boolean) => {
      const set = jest.spyOn(globalThis, 'setTimeout');
      const result = retry(failing(...errors(1)).work, {
        firstDelayMs: 100,
        ...(ref === undefined ? {} : { ref }),
      });
      await jest.advanceTimersByTimeAsync(10);
      const timer = set.mock.results[0]?.value as NodeJS.Timeout;
      const referenced = timer.hasRef();
      set.mockRestore();
      await jest.runAllTimersAsync();
      await result;
      return referenced;
    };
    expect([await isReferenced(), await isReferenced(false)]).toEqual([true, false]);
  });
});

it('delays double up to the maximum, and begin again with the first', () => {
  const { next, reset } = createDelays({ firstDelayMs: 200, maxDelayMs: 500 });
  const before = [next(), next(), next(), next()];
  reset();
  expect([...before, next()]).toEqual([200, 400, 500, 500, 200]);
});
