/** The patch of a session that runs: who asks for it, how often it is made, and where its answer is found. */
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Session } from '../../../contract/session.ts';
import { patchId } from '../../../store/artifacts/artifacts.ts';
import { tellPatchRequestsAgain } from '../../../store/artifacts/patch-requests.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let session: Session;

beforeAll(async () => {
  api = await startSessionApi({ RUNTIME: 'process' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
  await admin.ok('PUT', `${base}/repositories/code`, { host: 'git.example.com', path: 'team/one' });
  const repository = { name: 'code', ref: 'main' };
  ({ session } = await api.runningSession(member, base, { repository }));
  await untilRunning(session);
});

/** Its sidecar is ready; its workflow says so after. */
const untilRunning = ({ id }: Session) =>
  eventually(async () =>
    expect(await member.ok('GET', `/api/sessions/${id}`)).toMatchObject({ session: { status: 'running' } }),
  );

interface Asked {
  patch_request: { id: string };
}
const ask = (by: Person, of = session) => by.send('POST', `/api/sessions/${of.id}/patch`);
const idIn = ({ body }: { body: unknown }) => (body as Asked).patch_request.id;
const artifacts = async () =>
  (
    await member.ok<{ artifacts: { id: string; made_by: string; name: string }[] }>(
      'GET',
      `/api/sessions/${session.id}/artifacts`,
    )
  ).artifacts;
/** As if the last one had been asked for long ago. */
const letTimePass = () =>
  api
    .db('patch_requests')
    .where({ session_id: session.id })
    .update({ requested_at: longAgo(), told_at: longAgo() });
const longAgo = () => api.db.raw("now() - interval '2 minutes'");
const openRequests = () =>
  api.db('patch_requests').where({ session_id: session.id }).whereNull('answered_at').pluck('id');
async function sentences(): Promise<string[]> {
  const rows = await api
    .db('session_events')
    .where({ session_id: session.id, type: 'platform.notice' })
    .orderBy('seq')
    .select('payload');
  return rows.map(({ payload }) => String((payload as Record<string, unknown>)['message']));
}

it('is made once, however often it is asked for meanwhile, and is an artifact of the platform', async () => {
  let finish = (): void => undefined;
  let made = 0;
  api.runtime.patch = () =>
    new Promise((resolve) => {
      made += 1;
      finish = () => resolve({ patch: Buffer.from('diff --git a/a b/a\n') });
    });
  const first = await ask(member);
  expect(first.status).toBe(202);
  await eventually(() => expect(made).toBe(1));
  expect(idIn(await ask(admin))).toBe(idIn(first));
  expect(await artifacts()).toEqual([]);
  finish();
  await eventually(async () =>
    expect(await artifacts()).toMatchObject([
      { id: patchId(session.id, idIn(first)), name: 'changes-so-far.patch', made_by: 'platform' },
    ]),
  );
  await eventually(async () => expect(await ask(member)).toMatchObject({ status: 429 }));
  await letTimePass();
  const second = await ask(admin);
  expect(idIn(second)).not.toBe(idIn(first));
  await eventually(() => expect(made).toBe(2));
  finish();
  await eventually(async () => expect(await artifacts()).toHaveLength(2));
  const events = await api
    .db('audit_events')
    .where({ session_id: session.id, event: 'session.patch_requested' })
    .orderBy('position')
    .select('actor_id');
  expect(events).toEqual([{ actor_id: member.user.id }, { actor_id: admin.user.id }]);
});

it('is made of a session that runs although its repository is removed', async () => {
  await admin.ok('DELETE', `${base}/repositories/code`);
  api.runtime.patch = async () => ({ patch: Buffer.from('diff --git a/a b/a\n') });
  expect(await ask(member)).toMatchObject({ status: 202 });
  await eventually(async () => expect(await artifacts()).toHaveLength(1));
});

it('is not there with one sentence, and what fails at the worker is tried again', async () => {
  let attempts = 0;
  api.runtime.patch = async () => {
    attempts += 1;
    if (attempts < 3) {
      throw new Error('the worker has a fault');
    }
    return { problem: 'the agent handed over files that are not allowed' };
  };
  await ask(member);
  await eventually(async () =>
    expect(await sentences()).toEqual([
      'There is no patch of the repository: the agent handed over files that are not allowed',
    ]),
  );
  expect(attempts).toBe(3);
  api.runtime.patch = async () => ({ patch: Buffer.alloc(0) });
  await letTimePass();
  await ask(member);
  await eventually(async () =>
    expect((await sentences())[1]).toBe('The agent has changed nothing in the repository so far.'),
  );
  expect(await artifacts()).toEqual([]);
});

it('keeps no session from ending, and is refused of one that has, or has no repository', async () => {
  let left = false;
  api.runtime.patch = async (signal) => {
    await once(signal, 'abort');
    left = true;
    throw signal.reason;
  };
  await ask(member);
  await member.ok('POST', `/api/sessions/${session.id}/terminate`, {});
  await eventually(async () =>
    expect(await member.ok('GET', `/api/sessions/${session.id}`)).toMatchObject({
      session: { status: 'terminated' },
    }),
  );
  await eventually(() => expect(left).toBe(true));
  expect(await openRequests()).toEqual([]);
  expect(await ask(member)).toMatchObject({ status: 409 });
  const other = await api.runningSession(member, base);
  expect(await ask(member, other.session)).toMatchObject({
    status: 409,
    body: { error: { message: 'The session has no repository' } },
  });
});

it('is told again when it is open for long, and once in a while', async () => {
  let finish = (): void => undefined;
  api.runtime.patch = () =>
    new Promise((resolve) => {
      finish = () => resolve({ problem: 'enough' });
    });
  await ask(member);
  expect(await tellPatchRequestsAgain(api.db, 60)).not.toContain(session.id);
  await letTimePass();
  expect(await tellPatchRequestsAgain(api.db, 60)).toContain(session.id);
  expect(await tellPatchRequestsAgain(api.db, 60)).not.toContain(session.id);
  await eventually(async () => {
    finish();
    expect(await openRequests()).toEqual([]);
  });
});

it('is made two at a time for one workspace, and others later', async () => {
  const others = await Promise.all(
    [1, 2].map(async () => {
      const repository = { name: 'code', ref: 'main' };
      const { session: other } = await api.runningSession(member, base, { repository });
      await untilRunning(other);
      return other;
    }),
  );
  const finish: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  api.runtime.patch = () =>
    new Promise((resolve) => {
      underWay += 1;
      most = Math.max(most, underWay);
      finish.push(() => {
        underWay -= 1;
        resolve({ problem: 'enough' });
      });
    });
  for (const each of [session, ...others]) {
    expect(await ask(member, each)).toMatchObject({ status: 202 });
  }
  await eventually(() => expect(finish).toHaveLength(2));
  finish[0]?.();
  await eventually(() => expect(finish).toHaveLength(3));
  expect(most).toBe(2);
  finish[1]?.();
  finish[2]?.();
});
