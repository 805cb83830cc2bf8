import { expect, it } from '@jest/globals';
import { createSharedPermits } from '../../../../lib/limits/shared-permits.ts';

const isTaken = expect.any(Function);

it('leaves some of the whole to others, however much one owner asks for', () => {
  const take = createSharedPermits({ whole: 4, shares: { user: 2, workspace: 3 } });
  expect(take({ user: 'ada', workspace: 'a' })).toEqual(isTaken);
  const giveBack = take({ user: 'ada', workspace: 'a' });
  expect(giveBack).toEqual(isTaken);
  expect(take({ user: 'ada', workspace: 'b' })).toEqual({ full: 'user' });
  expect(take({ user: 'max', workspace: 'a' })).toEqual(isTaken);
  expect(take({ user: 'eve', workspace: 'a' })).toEqual({ full: 'workspace' });
  expect(take({ user: 'eve', workspace: null })).toEqual(isTaken);
  expect(take({ user: 'zoe', workspace: 'b' })).toEqual({ full: 'whole' });
  // What was refused holds nothing, and what is given back twice counts once.
  if (typeof giveBack === 'function') {
    giveBack();
    giveBack();
  }
  expect(take({ user: 'zoe', workspace: 'a' })).toEqual(isTaken);
  expect(take({ user: 'zoe', workspace: 'b' })).toEqual({ full: 'whole' });
});

it('keeps a user apart from a workspace of the same id', () => {
  const take = createSharedPermits({ whole: 10, shares: { user: 1, workspace: 1 } });
  expect(take({ user: 'same', workspace: null })).toEqual(isTaken);
  expect(take({ user: null, workspace: 'same' })).toEqual(isTaken);
});
