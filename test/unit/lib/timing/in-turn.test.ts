import { describe, expect, it } from '@jest/globals';
import { createTurns } from '../../../../lib/timing/in-turn.ts';

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('work on one session', () => {
  it('runs one after the other, in order of arrival, and failed work blocks nothing', async () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const work = (name: string, ms: number) => async () => {
      seen.push(`${name} begins`);
      await later(ms);
      seen.push(`${name} ends`);
      if (name === 'start') {
        throw new Error('it failed');
      }
      return name;
    };
    const start = inTurn('a', work('start', 20));
    const stop = inTurn('a', work('stop', 0));
    await expect(start).rejects.toThrow('it failed');
    await expect(stop).resolves.toBe('stop');
    expect(seen).toEqual(['start begins', 'start ends', 'stop begins', 'stop ends']);
  });

  it('does not wait for another session', async () => {
    const inTurn = createTurns();
    const never = new Promise<never>(() => undefined);
    void inTurn('a', () => never);
    await expect(inTurn('b', async () => 'done')).resolves.toBe('done');
  });
});
