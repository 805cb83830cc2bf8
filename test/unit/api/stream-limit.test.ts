import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createStreamLimit } from '../../../api/event-stream/stream-limit.ts';
import { checkProperty } from '../../support/property.ts';

const slotsOf = (perUser: number, perProcess: number) =>
  createStreamLimit({ LIMIT_EVENT_STREAMS_PER_USER: perUser, LIMIT_EVENT_STREAMS_PER_PROCESS: perProcess });
const by = (userId: string, ...workspaceIds: string[]) => ({ userId, workspaceIds });

describe('the limit on event streams', () => {
  it('of a user who is refused at the process limit are released immediately', () => {
    const slots = slotsOf(2, 2);
    const leaves = [slots.enter(by('others')), slots.enter(by('others'))];
    for (let tries = 0; tries < 5; tries += 1) {
      expect(() => slots.enter(by('a', 'w'))).toThrow('2 open event streams of all users');
    }
    for (const leave of leaves) {
      leave();
    }
    slots.enter(by('a'));
    slots.enter(by('a'));
  });

  it('of the people of a workspace are half of all, and others have the rest', () => {
    const slots = slotsOf(2, 6);
    const leaves = ['a', 'a', 'b'].map((user) => slots.enter(by(user, 'w')));
    expect(() => slots.enter(by('b', 'w'))).toThrow('3 open event streams per workspace');
    for (const user of ['c', 'c', 'd']) {
      slots.enter(by(user, 'other'));
    }
    leaves[0]?.();
    slots.enter(by('b', 'w'));
  });

  it('of a person of several workspaces come from one that has room', () => {
    const slots = slotsOf(2, 4);
    slots.enter(by('a', 'w'));
    slots.enter(by('b', 'w'));
    const leave = slots.enter(by('c', 'w', 'other'));
    slots.enter(by('d', 'other'));
    leave();
    expect(() => slots.enter(by('c', 'w'))).toThrow('2 open event streams per workspace');
    slots.enter(by('d', 'other'));
  });

  it('never exceed the limits, and are released one by one', () => {
    const step = fc.record({
      user: fc.constantFrom('a', 'b', 'c'),
      workspace: fc.constantFrom('v', 'w'),
      closes: fc.boolean(),
    });
    checkProperty(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const slots = slotsOf(2, 4);
        const open: { user: string; workspace: string; leave: () => void }[] = [];
        for (const { user, workspace, closes } of steps) {
          const own = open.filter((each) => each.user === user);
          if (closes) {
            own[0]?.leave();
            open.splice(own[0] === undefined ? open.length : open.indexOf(own[0]), 1);
            continue;
          }
          const ofWorkspace = open.filter((each) => each.workspace === workspace);
          const enter = () => slots.enter(by(user, workspace));
          if (own.length < 2 && ofWorkspace.length < 2 && open.length < 4) {
            open.push({ user, workspace, leave: enter() });
          } else {
            expect(enter).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 5 }));
          }
        }
      }),
    );
  });
});
