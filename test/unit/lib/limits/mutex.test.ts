import { describe, expect, it } from '@jest/globals';
import { createKeyedMutex } from '../../../../lib/limits/mutex.ts';
import { loopTurns } from '../../../support/loop-turns.ts';

describe('work on one session', () => {
  it('runs one after the other, in order of arrival, and failed work blocks nothing', async () => {
    const runExclusive = createKeyedMutex();
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
    const start = runExclusive('a', work('start'));
    const stop = runExclusive('a', work('stop'));
    await expect(start).rejects.toThrow('it failed');
    await expect(stop).resolves.toBe('stop');
    expect(seen).toEqual(['start begins', 'start ends', 'stop begins', 'stop ends']);
  });

  it('does not wait for another session', async () => {
    const runExclusive = createKeyedMutex();
    const never = new Promise<never>(() => undefined);
    void runExclusive('a', () => never);
    await expect(runExclusive('b', async () => 'done')).resolves.toBe('done');
  });
});
