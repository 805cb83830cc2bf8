/** One user's requests take turns, so that they do not use every connection that others wait for. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import * as z from 'zod';
import { anySignedIn } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

const atATime = 4;
const waiting = 6;
/** Running requests: each waits here to be released. */
const held: (() => void)[] = [];
let begun = 0;
let api: TestApi;
let max: Person;
let ada: Person;

const heldRoute = defineRoute({
  method: 'get',
  path: '/test/held',
  summary: 'Waits until it is let go',
  scope: 'user',
  access: anySignedIn,
  response: z.strictObject({}),
  handler() {
    begun += 1;
    return new Promise<Record<string, never>>((resolve) => held.push(() => resolve({})));
  },
});
const openRoute = defineRoute({
  method: 'get',
  path: '/test/open',
  summary: 'A stream without end',
  scope: 'user',
  access: anySignedIn,
  async handler({ ctx }) {
    const stream = new Readable({ read() {} });
    stream.push('begun');
    ctx.body = stream;
  },
});

beforeAll(async () => {
  api = await startTestApi({ LIMIT_USER_WAITING_REQUESTS: String(waiting) }, () => [heldRoute, openRoute]);
});
beforeEach(async () => {
  begun = 0;
  max = await api.person();
  ada = await api.person();
});
afterAll(() => api.stop());

const get = (path: string, signal: AbortSignal | null = null) =>
  fetch(`${api.url}/api/test/${path}`, { headers: { cookie: max.cookie }, signal });
const many = <Item>(length: number, make: () => Item): Item[] => Array.from({ length }, make);
const areHeld = (count: number) => eventually(async () => expect(held).toHaveLength(count));
const letGo = () => {
  for (const go of held.splice(0)) {
    go();
  }
};

it('four requests of a user run concurrently, a limited number waits, and other users are not delayed', async () => {
  const refused: Response[] = [];
  const all = many(atATime + waiting + 5, () =>
    get('held').then((answer) => {
      if (answer.status === 429) {
        refused.push(answer);
      }
      return answer.status;
    }),
  );
  await eventually(async () => expect(refused).toHaveLength(5));
  expect({ held: held.length, begun }).toEqual({ held: atATime, begun: atATime });
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(await refused[0]?.json()).toMatchObject({
    error: {
      code: 'rate_limited',
      message: 'The limit is 4 requests at a time per user, and 6 that wait',
    },
  });
  expect(await ada.send('GET', '/api/me')).toMatchObject({ status: 200 });

  for (const count of [4, 4, 2]) {
    await areHeld(count);
    letGo();
  }
  const statuses = await Promise.all(all);
  expect(statuses.filter((status) => status === 200)).toHaveLength(atATime + waiting);
  expect(await max.send('GET', '/api/me')).toMatchObject({ status: 200 });
});

it('a queued request whose caller disconnected is not run', async () => {
  const first = many(atATime, () => get('held'));
  await areHeld(atATime);
  const callers = many(waiting + 1, () => new AbortController());
  // One of them is refused once all others wait.
  const others = callers.map(({ signal }) => get('held', signal));
  const ended = Promise.allSettled(others);
  expect((await Promise.race(others)).status).toBe(429);
  const cut = api.logged().split('"complete":false').length;
  for (const caller of callers) {
    caller.abort();
  }
  await eventually(async () => expect(api.logged().split('"complete":false')).toHaveLength(cut + waiting));
  await ended;
  letGo();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(many(atATime, () => 200));
  const later = get('held');
  await areHeld(1);
  letGo();
  expect({ status: (await later).status, begun }).toEqual({ status: 200, begun: atATime + 1 });
});

it('a response that is still being sent takes no place', async () => {
  const caller = new AbortController();
  const open = await Promise.all(many(atATime + 2, () => get('open', caller.signal)));
  expect(open.map(({ status }) => status)).toEqual(many(atATime + 2, () => 200));
  expect(await max.send('GET', '/api/me')).toMatchObject({ status: 200 });
  caller.abort();
});
