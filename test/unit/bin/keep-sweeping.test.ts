import { expect, it } from '@jest/globals';
import pino from 'pino';
import { keepSweeping, type SweepWork } from '../../../bin/keep-sweeping.ts';
import { eventually } from '../../support/eventually.ts';

/** Work that lasts until it is told to end. */
function lasting() {
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work, end: () => end() };
}
const start = (parts: SweepWork, stopLimitMs = 5000) =>
  keepSweeping(parts, { intervalMs: 5, stopLimitMs, log: pino({ level: 'silent' }) });

it('repeats a part while another one takes long, or fails', async () => {
  const runs: number[] = [];
  let failures = 0;
  const slow = lasting();
  const stop = start({
    slow: () => slow.work,
    quick: async (run) => {
      runs.push(run);
    },
    failing: async () => {
      failures += 1;
      throw new Error('unreachable');
    },
  });
  await eventually(() => expect(runs.length).toBeGreaterThan(3));
  expect(runs.slice(0, 4)).toEqual([0, 1, 2, 3]);
  await eventually(() => expect(failures).toBeGreaterThan(1));
  slow.end();
  await stop();
});

it('ends when each part that runs has ended, and begins none again', async () => {
  let begun = 0;
  let ended = 0;
  const slow = lasting();
  const stop = start({
    slow: async () => {
      begun += 1;
      await slow.work;
      ended += 1;
    },
  });
  const stopped = stop();
  slow.end();
  await stopped;
  expect({ begun, ended }).toEqual({ begun: 1, ended: 1 });
});

it('waits for a part that does not end no longer than its limit', async () => {
  const stop = start({ stuck: () => new Promise(() => {}) }, 20);
  await stop();
});
