import { once } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { bothOf } from '../../../../lib/timing/both-of.ts';

describe('both of two', () => {
  const never = new AbortController().signal;

  it('gives what both return', async () => {
    expect(
      await bothOf(
        never,
        async () => 1,
        async () => 'a',
      ),
    ).toEqual([1, 'a']);
  });

  it.each(['first', 'second'])('ends and awaits the other when the %s fails', async (which) => {
    let hasEnded = false;
    const fails = () => Promise.reject(new Error('it failed'));
    const goesOn = async (signal: AbortSignal) => {
      await once(signal, 'abort');
      await soon();
      hasEnded = true;
      signal.throwIfAborted();
    };
    const both = which === 'first' ? bothOf(never, fails, goesOn) : bothOf(never, goesOn, fails);
    await expect(both).rejects.toThrow('it failed');
    expect(hasEnded).toBe(true);
  });

  it('ends both with the reason of its signal', async () => {
    const controller = new AbortController();
    const untilEnded = (signal: AbortSignal) => once(signal, 'abort').then(() => signal.throwIfAborted());
    const both = bothOf(controller.signal, untilEnded, untilEnded);
    controller.abort(new Error('no longer wanted'));
    await expect(both).rejects.toThrow('no longer wanted');
  });
});
