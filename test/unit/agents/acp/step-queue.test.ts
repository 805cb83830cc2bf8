import { describe, expect, it } from '@jest/globals';
import { createStepQueue } from '../../../../agents/acp/step-queue.ts';
import type { RunStep } from '../../../../agents/model/run-step.ts';
import { loopTurns } from '../../../support/loop-turns.ts';

const text = (length: number): RunStep => ({ type: 'text', text: 'x'.repeat(length) });

describe('a queue of steps', () => {
  it.each([
    ['steps', 200, 1],
    ['text', 2, 600_000],
  ])('has no room while many %s wait, until they are taken', async (_what, count, length) => {
    const queue = createStepQueue();
    for (let at = 0; at < count; at += 1) {
      await queue.hasRoom();
      queue.push(text(length));
    }
    let hasRoom = false;
    const room = queue.hasRoom().then(() => {
      hasRoom = true;
    });
    await loopTurns();
    expect(hasRoom).toBe(false);
    await queue.steps().next();
    await room;
  });

  it('gives what was pushed before it ended, and then its error', async () => {
    const queue = createStepQueue();
    queue.push(text(1));
    queue.end(new Error('its program ended'));
    const steps = queue.steps();
    expect(await steps.next()).toEqual({ done: false, value: text(1) });
    await expect(steps.next()).rejects.toThrow('its program ended');
  });
});
