/**
 * One user's requests have a limit at a time, so that they do not use every connection that others wait for.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Context } from 'koa';
import * as z from 'zod';
import { anyMember, anySignedIn } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

const atATime = 4;
const waiting = 6;
/** Running requests: each waits here to be released. */
const held: (() => void)[] = [];
let begun = 0;
/** Large answers. */
let made = 0;
/**
 * More than the buffers of both ends of a connection hold, and four of them less than the
 * answers of a user may have.
 */
const largeBytes = 5.5 * 1024 * 1024;
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
const streamWithoutEnd = async ({ ctx }: { ctx: Context }) => {
  const stream = new Readable({ read() {} });
  stream.push('begun');
  ctx.body = stream;
};
const openRoute = defineRoute({
  method: 'get',
  path: '/test/open',
  summary: 'A stream without end',
  scope: 'user',
  access: anySignedIn,
  handler: streamWithoutEnd,
});
const openInWorkspaceRoute = defineRoute({
  method: 'get',
  path: '/test/{slug}/open',
  summary: 'A stream without end, of a workspace',
  scope: 'workspace',
  access: anyMember,
  handler: streamWithoutEnd,
});
const largeRoute = defineRoute({
  method: 'get',
  path: '/test/large',
  summary: 'More than a connection takes by itself',
  scope: 'user',
  access: anySignedIn,
  response: z.strictObject({ text: z.string() }),
  async handler() {
    made += 1;
    return { text: 'a'.repeat(largeBytes) };
  },
});
const largerRoutes = (['get', 'post'] as const).map((method) =>
  defineRoute({
    method,
    path: '/test/larger',
    summary: 'Of which two are more than a user may leave unread',
    scope: 'user',
    access: anySignedIn,
    response: z.strictObject({ text: z.string() }),
    async handler() {
      made += 1;
      return { text: 'a'.repeat(3 * largeBytes) };
    },
  }),
);
const tabRoute = defineRoute({
  method: 'get',
  path: '/test/tab',
  summary: 'An event stream without end',
  scope: 'user',
  access: anySignedIn,
  async handler({ ctx }) {
    const stream = new Readable({ read() {} });
    stream.push(': here\n\n');
    ctx.type = 'text/event-stream';
    ctx.body = stream;
  },
});
const stopRoute = defineRoute({
  method: 'post',
  path: '/test/stop',
  summary: 'Ends something',
  scope: 'user',
  access: anySignedIn,
  stops: true,
  response: z.strictObject({}),
  handler: () => new Promise<Record<string, never>>((resolve) => held.push(() => resolve({}))),
});

beforeAll(async () => {
  api = await startTestApi({ LIMIT_USER_WAITING_REQUESTS: String(waiting) }, () => [
    ...[heldRoute, openRoute, openInWorkspaceRoute, largeRoute, tabRoute, stopRoute, ...largerRoutes],
  ]);
});
beforeEach(async () => {
  begun = 0;
  made = 0;
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

/** Asks for something and reads nothing of the answer, until it is let go. */
async function leaveUnread(path: string, person = max, headers = ''): Promise<{ letGo(): void }> {
  const { hostname, port } = new URL(api.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(
    socket.on('error', () => undefined),
    'connect',
  );
  socket.pause();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${person.cookie}\r\n${headers}\r\n`,
  );
  return { letGo: () => void socket.destroy() };
}

it('an answer that its caller does not read holds its place until its connection has closed', async () => {
  const unread = await Promise.all(many(atATime, () => leaveUnread('/api/test/large')));
  await eventually(() => expect(made).toBe(atATime));
  const callers = many(waiting + 1, () => new AbortController());
  const others = callers.map(({ signal }) => get('held', signal));
  const settled = Promise.allSettled(others);
  expect((await Promise.race(others)).status).toBe(429);
  expect(begun).toBe(0);
  expect(await ada.send('GET', '/api/me')).toMatchObject({ status: 200 });
  unread[0]?.letGo();
  await areHeld(1);
  for (const each of unread) {
    each.letGo();
  }
  await areHeld(atATime);
  letGo();
  await areHeld(waiting - atATime);
  letGo();
  await settled;
});

it('answers that their caller does not read are limited in bytes, and those of others go on', async () => {
  const unread = [await leaveUnread('/api/test/larger')];
  await eventually(() => expect(made).toBe(1));
  const refused = await get('larger');
  expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    after: '1',
  });
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('not been read') },
  });
  expect(await max.send('GET', '/api/me')).toMatchObject({ status: 200 });
  const changed = await max.send('POST', '/api/test/larger');
  expect({ status: changed.status, size: changed.text.length }).toMatchObject({ status: 200 });
  expect(changed.text.length).toBeGreaterThan(3 * largeBytes);
  expect((await ada.send('GET', '/api/test/larger')).status).toBe(200);
  unread[0]?.letGo();
  await eventually(async () => expect((await max.send('GET', '/api/test/larger')).status).toBe(200));
});

it('downloads have places of their own, fewer for a user than there are', async () => {
  const caller = new AbortController();
  const open = await Promise.all(many(8, () => get('open', caller.signal)));
  expect(open.map(({ status }) => status)).toEqual(many(8, () => 200));
  const refused = await get('open');
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 429,
    body: { error: { message: 'The limit is 8 downloads at a time per user' } },
  });
  expect(await max.send('GET', '/api/me')).toMatchObject({ status: 200 });
  const other = await fetch(`${api.url}/api/test/open`, {
    headers: { cookie: ada.cookie },
    signal: caller.signal,
  });
  expect(other.status).toBe(200);
  caller.abort();
  await eventually(async () => {
    const again = new AbortController();
    expect((await get('open', again.signal)).status).toBe(200);
    again.abort();
  });
});

it('downloads of the people of a workspace have a share of all places', async () => {
  const { workspace } = await api.workspace();
  const caller = new AbortController();
  const open = ({ cookie }: Person, slug = workspace.slug) =>
    fetch(`${api.url}/api/test/${slug}/open`, { headers: { cookie }, signal: caller.signal });
  const people = await Promise.all(many(5, () => api.person()));
  for (const person of people) {
    await api.join(workspace, person, 'member');
  }
  const opened = await Promise.all(people.slice(0, 4).flatMap((person) => many(8, () => open(person))));
  expect(opened.map(({ status }) => status)).toEqual(many(32, () => 200));
  const [fifth = max] = people.slice(4);
  const refused = await open(fifth);
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 429,
    body: { error: { message: 'The limit is 32 downloads at a time per workspace' } },
  });
  const other = await api.workspace();
  expect((await open(other.member, other.workspace.slug)).status).toBe(200);
  caller.abort();
});

it('twenty tabs, four slow downloads and an export leave every page its answer', async () => {
  const { workspace, base } = await api.workspace();
  await api.join(workspace, max, 'admin');
  const caller = new AbortController();
  const tabs = await Promise.all(many(20, () => get('tab', caller.signal)));
  expect(tabs.map(({ status }) => status)).toEqual(many(20, () => 200));
  const slow = await Promise.all(many(4, () => leaveUnread('/api/test/open')));
  const exported = await leaveUnread(`${base}/audit-events`, max, 'Accept: application/x-ndjson\r\n');
  const pages = ['agents', 'mcp-servers', 'secrets', 'audit-events', 'members'].map(
    (page) => `${base}/${page}`,
  );
  for (const round of [[...pages, '/api/me'], pages]) {
    const answers = await Promise.all(round.map((path) => max.send('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual(round.map(() => 200));
  }
  for (const each of [...slow, exported]) {
    each.letGo();
  }
  caller.abort();
});

it('a request that ends something has a place of its own, of which there are as many', async () => {
  const unread = await Promise.all(many(atATime, () => leaveUnread('/api/test/large')));
  await eventually(() => expect(made).toBe(atATime));
  const stop = (path: string) =>
    fetch(`${api.url}/api/test/${path}`, { method: 'POST', headers: { cookie: max.cookie } });
  const stops = many(atATime + waiting + 1, () => stop('stop'));
  expect((await Promise.race(stops)).status).toBe(429);
  await areHeld(atATime);
  for (const count of [atATime, waiting - atATime]) {
    letGo();
    await areHeld(count);
  }
  letGo();
  const statuses = (await Promise.all(stops)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(atATime + waiting);
  for (const each of unread) {
    each.letGo();
  }
});
