import { describe, expect, it } from '@jest/globals';
import { createTurns } from '../../../../lib/timing/in-turn.ts';
import { loopTurns } from '../../../support/loop-turns.ts';

describe('work on one session', () => {
  it('runs one after the other, in order of arrival, and failed work blocks nothing', async () => {
    const inTurn = createTurns();
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await loopTurns(5);
      seen.push(`${name} ends`);
      if (name === 'start') {
        throw new Error('it failed');
      }
      return name;
    };
    const start = inTurn('a', work('start'));
    const stop = inTurn('a', work('stop'));
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
