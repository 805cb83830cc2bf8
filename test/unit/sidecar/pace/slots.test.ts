import { describe, expect, it } from '@jest/globals';
import { createSlots } from '../../../../sidecar/pace/slots.ts';

const plentyMs = 60_000;

describe('slots', () => {
  it('are assigned in turn, each once', async () => {
    const slots = createSlots({ count: 2, maxWaiting: 10 });
    const [first, second] = [await slots.take(0), await slots.take(0)];
    expect([typeof first, typeof second, await slots.take(0)]).toEqual(['function', 'function', null]);
    const order: string[] = [];
    const waits = ['a', 'b'].map((name) =>
      slots.take(plentyMs).then((release) => {
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
    expect(await slots.take(0)).toBeNull();
  });

  it('refuse a caller after its max wait, or when too many wait, and lose no slot thereby', async () => {
    const slots = createSlots({ count: 1, maxWaiting: 1 });
    const release = await slots.take(0);
    const waiting = slots.take(50);
    expect(await slots.take(plentyMs)).toBeNull();
    expect(await waiting).toBeNull();
    release?.();
    expect(await slots.take(0)).toEqual(expect.any(Function));
    expect(await slots.take(0)).toBeNull();
  });
});
