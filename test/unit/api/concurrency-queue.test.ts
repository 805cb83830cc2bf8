import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createConcurrencyQueue } from '../../../api/middleware/concurrency-queue.ts';

const limits = { atATime: 2, waiting: 2 };

/** Enters, and notes in `begun` when its turn came. */
function entrance(turns: ReturnType<typeof createConcurrencyQueue>, begun: string[]) {
  return (user: string, name: string, response = new EventEmitter()) => {
    const entered = turns.enter(user, response).then(({ leave }) => {
      begun.push(name);
      return leave;
    });
    // What is refused is looked at later.
    entered.catch(() => undefined);
    return entered;
  };
}

/** By then, everything that was resolved has been reported. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the requests of a user', () => {
  it('beyond the limit wait in order, while others continue', async () => {
    const begun: string[] = [];
    const enter = entrance(createConcurrencyQueue(limits), begun);
    const [first] = ['1', '2', '3', '4'].map((name) => enter('max', name));
    await enter('ada', 'of ada');
    expect(begun).toEqual(['1', '2', 'of ada']);
    (await first)?.();
    await settled();
    expect(begun).toEqual(['1', '2', 'of ada', '3']);
  });

  it('beyond the queue limit are refused, and accepted again once there is room', async () => {
    const begun: string[] = [];
    const enter = entrance(createConcurrencyQueue(limits), begun);
    const [first] = ['1', '2', '3', '4'].map((name) => enter('max', name));
    await expect(enter('max', '5')).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'The limit is 2 requests at a time per user, and 2 that wait',
    });
    (await first)?.();
    const later = ['6', '7'].map((name) => enter('max', name));
    await expect(later[1]).rejects.toMatchObject({ code: 'rate_limited' });
    expect(begun).toEqual(['1', '2', '3']);
  });

  it('whose caller has disconnected release their place to others', async () => {
    const begun: string[] = [];
    const enter = entrance(createConcurrencyQueue(limits), begun);
    const first = enter('max', '1');
    enter('max', '2');
    const response = new EventEmitter();
    const left = enter('max', 'left', response);
    enter('max', '4');
    response.emit('close');
    await expect(left).rejects.toMatchObject({ message: 'The caller left before its turn' });
    const gone = Object.assign(new EventEmitter(), { destroyed: true });
    await expect(enter('max', 'gone', gone)).rejects.toThrow('The caller left');
    enter('max', '5');
    (await first)();
    await settled();
    expect(begun).toEqual(['1', '2', '4']);
  });

  it('leave no listener on the response, and all of them run', async () => {
    const turns = createConcurrencyQueue({ atATime: 1, waiting: 50 });
    const response = new EventEmitter();
    let working = 0;
    const work = async () => {
      const { leave } = await turns.enter('max', response);
      working += 1;
      expect(working).toBe(1);
      await settled();
      working -= 1;
      leave();
    };
    response.setMaxListeners(0);
    await Promise.all(Array.from({ length: 40 }, work));
    expect(response.listenerCount('close')).toBe(0);
    const { leave } = await turns.enter('max', response);
    leave();
  });
});
