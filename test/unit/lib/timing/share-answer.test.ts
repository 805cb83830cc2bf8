import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { shareAnswer } from '../../../../lib/timing/share-answer.ts';

const times = { validMs: 1000, limitMs: 10_000 };

describe('a shared answer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is asked for once, for all who ask until it is old', async () => {
    let asked = 0;
    const ask = shareAnswer(times, async () => {
      asked += 1;
      return asked;
    });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    await jest.advanceTimersByTimeAsync(999);
    expect(await ask()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await ask()).toBe(2);
  });

  it('that failed is told for as long, and asked for again then', async () => {
    let isDown = true;
    const ask = shareAnswer(times, async () => {
      if (isDown) {
        throw new Error('down');
      }
      return 'up';
    });
    await expect(ask()).rejects.toThrow('down');
    isDown = false;
    await expect(ask()).rejects.toThrow('down');
    await jest.advanceTimersByTimeAsync(1000);
    expect(await ask()).toBe('up');
  });

  it('that never comes is given up, and asked for again', async () => {
    let asked = 0;
    const ask = shareAnswer(times, () => {
      asked += 1;
      return asked === 1 ? new Promise<string>(() => undefined) : Promise.resolve('up');
    });
    const first = expect(ask()).rejects.toThrow('no answer within 10 seconds');
    await jest.advanceTimersByTimeAsync(11_000);
    await first;
    expect(await ask()).toBe('up');
  });
});
