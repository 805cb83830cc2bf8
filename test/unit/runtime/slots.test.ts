import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createSlots, createSlotsByKey } from '../../../runtime/slots.ts';

const never = new AbortController().signal;

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

it('gives a slot to one after the other, in order', async () => {
  const inSlot = createSlots(1);
  const [first, second] = [held(), held()];
  const all = [inSlot(never, first.work), inSlot(never, second.work)];
  await setImmediate();
  expect([first.isRunning(), second.isRunning()]).toEqual([true, false]);
  first.end();
  await all[0];
  await setImmediate();
  expect(second.isRunning()).toBe(true);
  second.end();
  await Promise.all(all);
});

it('lets go at once who gives up while it waits, and nobody waits for it then', async () => {
  const inSlot = createSlots(1);
  const [first, third] = [held(), held()];
  const running = inSlot(never, first.work);
  const giving = new AbortController();
  const waiting = inSlot(giving.signal, () => Promise.reject(new Error('it must not begin')));
  const last = inSlot(never, third.work);
  giving.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  expect(first.isRunning()).toBe(true);
  first.end();
  await running;
  await setImmediate();
  expect(third.isRunning()).toBe(true);
  third.end();
  await last;
  await expect(inSlot(giving.signal, first.work)).rejects.toThrow('given up');
});

it('leaves room for other keys, however much one asks for', async () => {
  const inSlot = createSlotsByKey(4, 2);
  const greedy = Array.from({ length: 10 }, held);
  const other = held();
  const all = greedy.map(({ work }) => inSlot('greedy', never, work));
  const ofOther = inSlot('other', never, other.work);
  await setImmediate();
  expect(greedy.filter(({ isRunning }) => isRunning())).toHaveLength(2);
  expect(other.isRunning()).toBe(true);
  for (const { end } of [...greedy, other]) {
    end();
  }
  await Promise.all([...all, ofOther]);
});
