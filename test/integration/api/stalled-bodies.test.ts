/** A request that is held open, by its body or in the queue: access is decided once all of it has arrived. */
import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Access, admins } from '../../../api/policies/access.ts';
import { defineRoute } from '../../../api/route.ts';
import { removeMember } from '../../../commands/members/members.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { eventually, untilFound } from '../../support/eventually.ts';

/** How often the rule of the test's own routes was asked. */
let asked = 0;
let handled = 0;
const counted: Access<'workspace'> = {
  whyNot(asking) {
    asked += 1;
    return admins('members.manage').whyNot(asking);
  },
};
let release = () => {};
const routes = [
  defineRoute({
    method: 'put',
    path: '/workspaces/{slug}/test-change',
    summary: 'Changes something',
    scope: 'workspace',
    access: counted,
    body: z.strictObject({ text: z.string() }),
    response: z.strictObject({}),
    async handler() {
      handled += 1;
      return {};
    },
  }),
  defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/test-read',
    summary: 'Reads something',
    scope: 'workspace',
    access: counted,
    response: z.strictObject({}),
    async handler() {
      handled += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return {};
    },
  }),
];

let api: TestApi;
let admin: Person;
let other: Person;
let workspace: Awaited<ReturnType<TestApi['workspace']>>['workspace'];
let base: string;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_USER_CONCURRENT_REQUESTS: '1', LIMIT_BODY_SECONDS: '60' }, () => routes);
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ admin, workspace, base } = await api.workspace());
  other = await api.person();
  await api.join(workspace, other, 'admin');
  [asked, handled] = [0, 0];
});

const body = JSON.stringify({ text: 'all of it' });

/** All of a request but the last byte of its body; `answer` resolves with the status. */
function stalled(url: string): { sent: ClientRequest; answer: Promise<number> } {
  const headers = { cookie: admin.cookie, 'content-type': 'application/json', 'content-length': body.length };
  const sent = request(url, { method: 'PUT', headers });
  const answer = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
  });
  sent.write(body.slice(0, -1));
  return { sent, answer };
}

const isAsked = (times: number) => eventually(() => expect(asked).toBe(times));
const demote = (person: Person) => api.join(workspace, person, 'member');
const remove = (person: Person) =>
  removeMember(api.db, {
    workspaceId: workspace.id,
    userId: person.user.id,
    by: { type: 'user', id: other.user.id },
  });

it.each([
  ['was removed', remove, 404],
  ['is no admin any more', demote, 403],
])('a request is refused whose last byte arrives after its sender %s', async (_what, change, status) => {
  const { sent, answer } = stalled(`${api.url}${base}/test-change`);
  await isAsked(1);
  await change(admin);
  sent.end(body.slice(-1));
  expect({ status: await answer, handled }).toEqual({ status, handled: 0 });
});

it('a queued request is refused when its sender was removed', async () => {
  const read = () => admin.send('GET', `${base}/test-read`);
  const first = read();
  await isAsked(1);
  const second = read();
  await isAsked(2);
  await remove(admin);
  release();
  expect({ first: (await first).status, second: (await second).status, handled }).toEqual({
    first: 200,
    second: 404,
    handled: 1,
  });
});

it('a stalled request does not delay revocations, denials and ends', async () => {
  const session = await api.person();
  await api.join(workspace, session, 'member');
  const { sent, answer } = stalled(`${api.url}${base}/test-change`);
  await isAsked(1);
  expect(await admin.send('DELETE', `${base}/members/${session.user.id}`)).toMatchObject({ status: 200 });
  expect(await admin.send('DELETE', `${base}/grants/${crypto.randomUUID()}`)).toMatchObject({ status: 404 });
  expect(await admin.send('POST', '/api/auth/sign-out', {})).toMatchObject({ status: 200 });
  sent.end(body.slice(-1));
  expect(await answer).toBe(401);
});

it('a body that does not arrive in time releases its place', async () => {
  const impatient = await startTestApi({ LIMIT_BODY_SECONDS: '1' }, () => routes);
  try {
    const own = await impatient.workspace();
    ({ admin } = own);
    const { answer } = stalled(`${impatient.url}${own.base}/test-change`);
    expect(await answer).toBe(400);
    const refused = await untilFound('the refusal in the log', async () =>
      impatient.logged().includes('"status":400') ? true : null,
    );
    expect({ refused, handled }).toEqual({ refused: true, handled: 0 });
  } finally {
    await impatient.stop();
  }
});
