import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createStreamSlots } from '../../../api/event-stream/stream-slots.ts';
import { checkProperty } from '../../support/property.ts';

describe('slots of event streams', () => {
  it('are not taken for disconnected callers, since nothing would free them', () => {
    const slots = createStreamSlots({ LIMIT_EVENT_STREAMS_PER_USER: 2, LIMIT_EVENT_STREAMS_PER_PROCESS: 4 });
    for (let left = 0; left < 10; left += 1) {
      slots.hold('a', Object.assign(new EventEmitter(), { destroyed: true }));
    }
    const open = [new EventEmitter(), new EventEmitter()];
    for (const response of open) {
      slots.hold('a', response);
    }
    expect(() => slots.hold('a', new EventEmitter())).toThrow('2 open event streams per user');
  });

  it('notify once about a disconnect, with one listener on the response', () => {
    const slots = createStreamSlots({ LIMIT_EVENT_STREAMS_PER_USER: 1, LIMIT_EVENT_STREAMS_PER_PROCESS: 1 });
    const response = new EventEmitter();
    const signal = slots.hold('a', response);
    expect({ listeners: response.listenerCount('close'), aborted: signal.aborted }).toEqual({
      listeners: 1,
      aborted: false,
    });
    response.emit('close');
    expect(signal.aborted).toBe(true);
    expect(slots.hold('a', Object.assign(new EventEmitter(), { destroyed: true })).aborted).toBe(true);
  });

  it('of a user who is refused at the process limit are released immediately', () => {
    const slots = createStreamSlots({ LIMIT_EVENT_STREAMS_PER_USER: 2, LIMIT_EVENT_STREAMS_PER_PROCESS: 2 });
    const others = [new EventEmitter(), new EventEmitter()];
    for (const response of others) {
      slots.hold('others', response);
    }
    for (let tries = 0; tries < 5; tries += 1) {
      expect(() => slots.hold('a', new EventEmitter())).toThrow('2 open event streams of all users');
    }
    for (const response of others) {
      response.emit('close');
    }
    slots.hold('a', new EventEmitter());
    slots.hold('a', new EventEmitter());
  });

  it('never exceed the limits, and are released on close', () => {
    const step = fc.record({ user: fc.constantFrom('a', 'b', 'c'), closes: fc.boolean() });
    checkProperty(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const slots = createStreamSlots({
          LIMIT_EVENT_STREAMS_PER_USER: 2,
          LIMIT_EVENT_STREAMS_PER_PROCESS: 4,
        });
        const open: { user: string; response: EventEmitter }[] = [];
        for (const { user, closes } of steps) {
          const own = open.filter((each) => each.user === user);
          if (closes) {
            own[0]?.response.emit('close');
            open.splice(own[0] === undefined ? open.length : open.indexOf(own[0]), 1);
            continue;
          }
          const response = new EventEmitter();
          const hold = () => slots.hold(user, response);
          if (own.length < 2 && open.length < 4) {
            hold();
            open.push({ user, response });
          } else {
            expect(hold).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 5 }));
          }
        }
      }),
    );
  });
});
