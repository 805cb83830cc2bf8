import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { nextLoopTurn } from '../../../../sidecar/json-rpc/loop-turn.ts';

it('turns come one in each round of the event loop, in order, however often somebody waits', async () => {
  for (let time = 0; time < 2; time += 1) {
    const taken: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      void nextLoopTurn().then(() => taken.push(name));
    }
    const after: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await nextRound();
      after.push(taken.join(''));
    }
    expect(after).toEqual(['a', 'ab', 'abc', 'abc']);
  }
});
