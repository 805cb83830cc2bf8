/** What many event streams read in one statement: each gets its own, and nothing of others. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Session } from '../../../contract/session.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { listEventsAfter } from '../../../store/session-events/list.ts';
import { readRolesOfSignIns } from '../../../store/sign-ins/sign-ins.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await createTenant(database.db, testMasterKeys());
});
afterAll(() => database.drop());

const signIn = async (userId: string, fields: { expires_at?: string; revoked_at?: string } = {}) => {
  const id = randomUUID();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  await database.db('sign_ins').insert({ id, user_id: userId, expires_at, ...fields });
  return { userId, signInId: id };
};
const session = async () => tenant.session(await tenant.agent());
const say = ({ id, agent_id: agentId }: Session, text: string) =>
  appendSessionEvent(database.db, id, {
    id: randomUUID(),
    type: 'agent.message',
    actor: { type: 'agent', id: agentId },
    payload: { text },
  });
const seqsOf = (page: Awaited<ReturnType<typeof listEventsAfter>>[number] | undefined) =>
  page instanceof Error ? page.name : page?.map(({ session_id: id, seq }) => [id, seq]);

it('roles are those of the sign-in’s own user, and none when it is over or somebody else’s', async () => {
  const { ada, max, workspace } = tenant;
  const past = new Date(Date.now() - 1000).toISOString();
  const [ofAda, ofMax] = [await signIn(ada.id), await signIn(max.id)];
  const asked = [
    ofAda,
    ofMax,
    { userId: ada.id, signInId: ofMax.signInId },
    await signIn(ada.id, { expires_at: past }),
    await signIn(ada.id, { revoked_at: past }),
    ...Array.from({ length: 1000 }, () => ({ userId: ada.id, signInId: randomUUID() })),
    ofAda,
  ];
  const roles = await readRolesOfSignIns(database.db, asked);
  expect(roles.slice(0, 5)).toEqual([
    new Map([[workspace.id, 'admin']]),
    new Map([[workspace.id, 'member']]),
    null,
    null,
    null,
  ]);
  expect(roles).toHaveLength(asked.length);
  expect(roles.slice(5).filter((each) => each !== null)).toEqual([new Map([[workspace.id, 'admin']])]);
});

it('events are those after each position, also of one session at two', async () => {
  const [one, other] = [await session(), await session()];
  for (let count = 0; count < 40; count += 1) {
    await say(one, 'short');
  }
  const position = ({ id: sessionId }: { id: string }, after: number) => ({ sessionId, after });
  const asked = [position(one, 39), position(other, 0), position(one, 0), position({ id: randomUUID() }, 0)];
  const pages = await listEventsAfter(database.db, asked, 30);
  const upTo = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => [one.id, first + at]);
  expect(pages.map(seqsOf)).toEqual([upTo(40, 41), [[other.id, 1]], upTo(1, 30), []]);
});

it('events of many positions take no more than those of one, and each position gets at least one', async () => {
  const large = await session();
  for (let count = 0; count < 12; count += 1) {
    await say(large, 'x'.repeat(60_000));
  }
  const asked = Array.from({ length: 50 }, () => ({ sessionId: large.id, after: 1 }));
  const pages = await listEventsAfter(database.db, asked, 100);
  expect(pages.map((page) => (page instanceof Error ? 0 : page.length))).toEqual(pages.map(() => 1));
});

it('an event that cannot be read fails its own session only', async () => {
  const [broken, sound] = [await session(), await session()];
  await database.db.raw(
    `insert into session_events (id, session_id, seq, type, actor_type, payload)
     values (gen_random_uuid(), ?, 2, 'agent.status', 'agent', '"no object"')`,
    [broken.id],
  );
  const asked = [broken, sound].map(({ id: sessionId }) => ({ sessionId, after: 0 }));
  expect((await listEventsAfter(database.db, asked, 100)).map(seqsOf)).toEqual(['ZodError', [[sound.id, 1]]]);
});
