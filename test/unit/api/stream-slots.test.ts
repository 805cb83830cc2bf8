import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createStreamSlots } from '../../../api/event-stream/stream-slots.ts';

describe('slots of event streams', () => {
  it('are never more than the limits, and each that closes is free again', () => {
    const step = fc.record({ user: fc.constantFrom('a', 'b', 'c'), closes: fc.boolean() });
    fc.assert(
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
