import { expect, it } from '@jest/globals';
import { createIdleClock } from '../../../api/internal/agent-activity.ts';

function clock() {
  const recorded: string[] = [];
  const state = { nowMs: 0, fails: false };
  const { restart } = createIdleClock(
    async (id) => {
      if (state.fails) {
        throw new Error('no database');
      }
      recorded.push(id);
    },
    () => state.nowMs,
  );
  return { recorded, state, restart };
}

it('records activity of a session once a second', async () => {
  const { recorded, state, restart } = clock();
  for (const [nowMs, id] of [
    [0, 'a'],
    [10, 'a'],
    [20, 'b'],
    [999, 'a'],
    [1000, 'a'],
  ] as const) {
    state.nowMs = nowMs;
    await restart(id);
  }
  expect(recorded).toEqual(['a', 'b', 'a']);
});

it('records it with the next request when that failed', async () => {
  const { recorded, state, restart } = clock();
  state.fails = true;
  await expect(restart('a')).rejects.toThrow('no database');
  state.fails = false;
  await restart('a');
  expect(recorded).toEqual(['a']);
});
