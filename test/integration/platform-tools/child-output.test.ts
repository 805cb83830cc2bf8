/** `read_child_output` on a real database and its real announcements. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { publishEvent } from '../../../commands/session-events/publish.ts';
import { addMessage } from '../../../commands/session-inputs/messages.ts';
import { moveSession } from '../../../commands/sessions/move.ts';
import { maxStoredInteger } from '../../../contract/names.ts';
import type { Session } from '../../../contract/session.ts';
import type { EventReport } from '../../../contract/sidecar.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { requestEnding } from '../../../store/sessions/sessions.ts';
import { eventually } from '../../support/eventually.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { childOf, rootSession } from '../../support/session-trees.ts';
import type { Tenant } from '../../support/tenant.ts';

interface Output {
  status: string;
  waiting_for: string | null;
  outcome: unknown;
  events: { seq: number; type: string; payload: Record<string, unknown> }[];
  next_after: number;
}

let tools: TestTools;
let tenant: Tenant;
let parent: Session;
let child: Session;

beforeAll(async () => {
  tools = await openTools();
});
beforeEach(async () => {
  tenant = tools.tenantOf(await tools.caller());
  ({ session: parent } = await rootSession(tools.db, tenant));
  child = await childOf(tools.db, parent, await tenant.agent());
});
afterAll(() => tools.close());

const read = (given: object = {}, id = child.id) =>
  tools.ok<Output>(parent, 'read_child_output', { session_id: id, ...given });
const publish = (event: Pick<EventReport, 'type' | 'payload'>, of = child) =>
  publishEvent(tools.db, of, { id: randomUUID(), ...event } as EventReport, { limitBytes: 1_000_000_000 });
const say = (text: string) => publish({ type: 'agent.message', payload: { text, channel: null } });
const hidden = () =>
  appendSessionEvent(tools.db, child.id, {
    id: randomUUID(),
    type: 'platform.notice',
    actor: { type: 'system', id: null },
    payload: { code: 'a_notice', message: 'For people' },
  });
const texts = ({ events }: Output) => events.map(({ payload }) => payload['text']);
/** Whether it is answered within a moment. */
const isAnswered = async (answer: Promise<unknown>) =>
  (await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))])) !== 'waits';

describe('what a child shows', () => {
  it('is what its agent published, in order, page by page', async () => {
    for (let at = 0; at < 230; at += 1) {
      await say(`line ${at}`);
    }
    const seen: unknown[] = [];
    let after = 0;
    for (;;) {
      const page = await read({ after });
      seen.push(...texts(page));
      expect(page.events.length).toBeLessThanOrEqual(100);
      expect(page.next_after).toBeGreaterThanOrEqual(after);
      if (page.events.length === 0) {
        break;
      }
      after = page.next_after;
    }
    expect(seen).toEqual(Array.from({ length: 230 }, (_, at) => `line ${at}`));
  });

  it('is nothing that is for people: why it moved or failed, what they wrote, what it asked them and what they decided', async () => {
    await say('Hello');
    const { max } = tenant;
    await addMessage(tools.db, child.id, {
      id: randomUUID(),
      userId: max.id,
      text: 'psst',
      limitBytes: 10_000,
    });
    await publish({
      type: 'agent.input_requested',
      payload: { input_request_id: randomUUID(), prompt: 'psst?', options: [] },
    });
    await hidden();
    const request = {
      ...{ request_id: randomUUID(), grant_type: 'tool_scope' as const, details: { scope: 'psst.write' } },
      ...{ status: 'denied' as const, scope: null, grant_id: null, reason: 'psst', decided_by: max.id },
    };
    const actor = { type: 'user', id: max.id } as const;
    await appendSessionEvent(tools.db, child.id, {
      id: randomUUID(),
      type: 'permission.decided',
      actor,
      payload: request,
    });
    const grandchild = await childOf(tools.db, child, await tenant.agent());
    await moveSession(tools.db, grandchild.id, { to: 'failed', reason: 'psst' });
    await moveSession(tools.db, child.id, { to: 'failed', reason: 'The secret psst is not set' });
    const output = await read();
    expect(output).toMatchObject({ status: 'failed', outcome: null });
    expect(output.events.map(({ type }) => type)).toEqual(['agent.message']);
    expect(JSON.stringify(output)).not.toContain('psst');
    const { last_event_seq: last } = (await tools.db('sessions').where({ id: child.id }).first()) ?? {};
    expect(output.next_after).toBeLessThanOrEqual(Number(last));
    expect(await read({ after: output.next_after })).toMatchObject({ events: [], next_after: last });
  });

  it('is its outcome, as its agent said it', async () => {
    const by = { type: 'agent', id: child.agent_id } as const;
    await requestEnding(tools.db, child.id, {
      by,
      status: 'completed',
      reason: 'The agent finished',
      summary: 'Seven tickets',
    });
    await moveSession(tools.db, child.id, { to: 'completed', reason: 'The agent finished' });
    expect(await read()).toMatchObject({
      status: 'completed',
      outcome: { outcome: 'completed', summary: 'Seven tickets' },
    });
  });

  it('says what it waits for', async () => {
    await publish({
      type: 'agent.input_requested',
      payload: { input_request_id: randomUUID(), prompt: 'Which?', options: [] },
    });
    expect(await read()).toMatchObject({ waiting_for: 'answer' });
  });

  it('is found behind more hidden events than a page has', async () => {
    for (let at = 0; at < 120; at += 1) {
      await hidden();
    }
    await say('at last');
    const output = await read();
    expect(texts(output)).toEqual(['at last']);
    expect(output.next_after).toBe(output.events[0]?.seq);
  });

  it('fits in an answer, however large its events are', async () => {
    await say('\u0001'.repeat(65_536));
    for (let at = 0; at < 12; at += 1) {
      await say(`${at} ${'y'.repeat(60_000)}`);
    }
    await say('end');
    const seen: string[] = [];
    let [after, omitted] = [0, 0];
    for (;;) {
      const page = await read({ after });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(384 * 1024);
      for (const { payload } of page.events) {
        omitted += Number(payload['omitted_bytes'] ?? 0);
        seen.push(
          String(payload['text'] ?? 'omitted')
            .slice(0, 7)
            .trim(),
        );
      }
      if (page.events.length === 0) {
        break;
      }
      after = page.next_after;
    }
    expect(omitted).toBeGreaterThan(250_000);
    expect(seen[0]).toBe('omitted');
    expect(seen).toHaveLength(14);
    expect(seen.at(-1)).toBe('end');
  });
});

describe('a call that waits', () => {
  it('is answered when the child publishes something', async () => {
    const answer = read({ wait_seconds: 20 });
    expect(await isAnswered(answer)).toBe(false);
    await say('news');
    expect(texts(await answer)).toEqual(['news']);
  });

  it('is answered at once by what is there already', async () => {
    await say('earlier');
    expect(texts(await read({ wait_seconds: 20 }))).toEqual(['earlier']);
  });

  it('is answered by the end of the child, also by one that published nothing', async () => {
    const answer = read({ wait_seconds: 20 });
    expect(await isAnswered(answer)).toBe(false);
    await moveSession(tools.db, child.id, { to: 'terminated', reason: 'A person ended it' });
    expect(await answer).toMatchObject({ status: 'terminated', events: [] });
    expect(await read({ wait_seconds: 20 })).toMatchObject({ status: 'terminated', events: [] });
  });

  it('goes on waiting over what it does not show, and is answered with its place when the time is over', async () => {
    const answer = read({ wait_seconds: 2 });
    const { seq } = await hidden();
    expect(await isAnswered(answer)).toBe(false);
    expect(await answer).toMatchObject({ events: [], next_after: seq });
  });

  it('is woken by nothing that happens elsewhere', async () => {
    const other = await childOf(tools.db, parent, await tenant.agent());
    const answer = read({ wait_seconds: 1 });
    await publish({ type: 'agent.message', payload: { text: 'other', channel: null } }, other);
    expect(await answer).toMatchObject({ events: [] });
  });

  it('is one of two at most in a session: a third is answered at once', async () => {
    const waiting = [read({ wait_seconds: 20 }), read({ wait_seconds: 20 })];
    expect(await isAnswered(Promise.race(waiting))).toBe(false);
    expect(await read({ wait_seconds: 20 })).toMatchObject({
      events: [],
      next_step: expect.stringContaining('before one of them has returned'),
    });
    const beside = await rootSession(tools.db, tenant);
    const theirs = await childOf(tools.db, beside.session, await tenant.agent());
    const elsewhere = tools.ok<Output>(beside.session, 'read_child_output', {
      session_id: theirs.id,
      wait_seconds: 1,
    });
    expect(await isAnswered(elsewhere)).toBe(false);
    await say('news');
    expect((await Promise.all(waiting)).map(texts)).toEqual([['news'], ['news']]);
    await elsewhere;
    const again = read({ wait_seconds: 20, after: (await read()).next_after });
    expect(await isAnswered(again)).toBe(false);
    await say('more');
    expect(texts(await again)).toEqual(['more']);
  });

  it('holds no connection meanwhile', async () => {
    const answers = Array.from({ length: 2 }, () => read({ wait_seconds: 20 }));
    expect(await isAnswered(Promise.race(answers))).toBe(false);
    const pool = tools.db.client.pool;
    await eventually(() => expect(pool.numUsed()).toBe(0));
    await say('news');
    await Promise.all(answers);
  });

  it('ends its wait when the child is gone meanwhile', async () => {
    const answer = tools.call(parent, 'read_child_output', { session_id: child.id, wait_seconds: 1 });
    expect(await isAnswered(answer)).toBe(false);
    await tools.db('sessions').where({ id: child.id }).delete();
    await answer;
    const next = await tools.call(parent, 'read_child_output', { session_id: child.id });
    expect(next).toMatchObject({ code: 'not_found' });
  });
});

describe('another session', () => {
  it.each<[string, () => Promise<string>]>([
    ['that does not exist', async () => randomUUID()],
    ['of another workspace', async () => (await tools.caller()).id],
    ['beside this one', async () => (await rootSession(tools.db, tenant)).session.id],
    ['which is this one', async () => parent.id],
    ['that a child started', async () => (await childOf(tools.db, child, await tenant.agent())).id],
  ])('%s is not found, in the same words', async (_what, other) => {
    const given = { session_id: await other(), wait_seconds: 20 };
    expect(await tools.call(parent, 'read_child_output', given)).toEqual({
      status: 'failed',
      code: 'not_found',
      message: 'session_id: this session has started no such session',
    });
  });

  it('above is not found, nor are those beside a child', async () => {
    const sibling = await childOf(tools.db, parent, await tenant.agent());
    for (const id of [parent.id, sibling.id]) {
      const answer = await tools.call(child, 'read_child_output', { session_id: id });
      expect(answer).toMatchObject({ code: 'not_found' });
    }
  });
});

it.each<[object, string]>([
  [{ after: -1 }, 'after: '],
  [{ after: maxStoredInteger + 1 }, 'after: '],
  [{ wait_seconds: 21 }, 'wait_seconds: '],
  [{ wait_seconds: -1 }, 'wait_seconds: '],
])('refuses %j by its name', async (given, named) => {
  const answer = await tools.call(parent, 'read_child_output', { session_id: child.id, ...given });
  expect(answer).toMatchObject({ code: 'validation_failed', message: expect.stringContaining(named) });
});

it('reads beyond the last event', async () => {
  expect(await read({ after: maxStoredInteger })).toMatchObject({ events: [], next_after: maxStoredInteger });
});
