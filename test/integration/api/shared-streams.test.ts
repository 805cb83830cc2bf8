/**
 * Many open streams on one process: they read together, and each viewer's rights are
 * checked for that viewer alone.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import type { Person } from '../../support/api.ts';
import { EventReader } from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { MessageReader } from '../../support/message-reader.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

/** As the routes have it. */
const checkMs = 2000;

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
const open: { close(): void }[] = [];

beforeAll(async () => {
  api = await startSessionApi({
    LIMIT_EVENT_STREAMS_PER_USER: '1000',
    LIMIT_USER_WAITING_REQUESTS: '1000',
  });
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session } = await api.runningSession(member, base));
});
afterEach(() => {
  for (const reader of open.splice(0)) {
    reader.close();
  }
});
afterAll(() => api.stop());

const events = async (person: Person, { id } = session) => {
  const reader = await EventReader.open(`${api.url}/api/sessions/${id}/events`, { cookie: person.cookie });
  open.push(reader);
  return reader;
};
const messages = async (person: Person, { id } = session) => {
  const reader = await MessageReader.open(`${api.url}/api/me/stream?sessions=${id}:0`, person.cookie);
  open.push(reader);
  return reader;
};
const publish = (text: string, { id, agent_id: agentId } = session) =>
  appendSessionEvent(api.db, id, {
    id: randomUUID(),
    type: 'agent.status',
    actor: { type: 'agent', id: agentId },
    payload: { status: text },
  });
const say = (text: string) =>
  appendSessionEvent(api.db, session.id, {
    id: randomUUID(),
    type: 'agent.message',
    actor: { type: 'agent', id: session.agent_id },
    payload: { text },
  });
const seqsOf = (reader: EventReader | MessageReader) =>
  reader instanceof EventReader
    ? reader.events.map(({ seq }) => seq)
    : reader.messages.flatMap((message) => (message.type === 'session.event' ? [message.event.seq] : []));
const share = (isShared: boolean) =>
  api.db('sessions').where({ id: session.id }).update({ shared_with_workspace: isShared });
const hasClosed = ({ messages: seen }: MessageReader) =>
  seen.some((message) => message.type === 'session.closed' && message.reason === 'refused');
const colleague = async () => {
  const person = await api.person('Carla Colleague');
  await api.join(workspace, person, 'member');
  return person;
};
/** Committed transactions of the API's database, each of which is one statement of a stream that reads. */
const transactions = async () => {
  const result = await api.db.raw(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return z.object({ rows: z.tuple([z.object({ count: z.int() })]) }).parse(result).rows[0].count;
};

describe('streams of one session', () => {
  it('end for the viewer who is no member any more, and go on for the others', async () => {
    await share(true);
    const removed = await colleague();
    const [theirs, theirEvents] = [await messages(removed), await events(removed)];
    const [others, otherEvents] = [await messages(admin), await events(member)];
    const { seq: before } = await publish('to everybody');
    for (const reader of [theirs, theirEvents, others, otherEvents]) {
      await eventually(() => expect(seqsOf(reader)).toContain(before));
    }
    await api.db('members').where({ workspace_id: workspace.id, user_id: removed.user.id }).delete();
    const { seq } = await publish('to those who stay');
    await theirEvents.ended;
    await eventually(() => expect(hasClosed(theirs)).toBe(true));
    for (const reader of [others, otherEvents]) {
      await eventually(() => expect(seqsOf(reader)).toContain(seq));
    }
    expect([...seqsOf(theirs), ...seqsOf(theirEvents)]).not.toContain(seq);
  });

  it('end at once for whoever signed out, and go on for the same person at another browser', async () => {
    const stays = await events(member);
    const answer = await api.anonymous.send('POST', '/api/auth/demo-sign-in', { email: member.user.email });
    const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const leaves = await EventReader.open(`${api.url}/api/sessions/${session.id}/events`, { cookie });
    open.push(leaves);
    await fetch(`${api.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: '{}',
    });
    await leaves.ended;
    const { seq } = await publish('to the one that stays');
    await eventually(() => expect(seqsOf(stays)).toContain(seq));
    expect(seqsOf(leaves)).not.toContain(seq);
  });

  it('end without any event for those whom the session is no longer shared with', async () => {
    await share(true);
    const reader = await colleague();
    const [theirs, theirEvents] = [await messages(reader), await events(reader)];
    await eventually(() => expect(seqsOf(theirs).length).toBeGreaterThan(0));
    await share(false);
    await theirEvents.ended;
    await eventually(() => expect(hasClosed(theirs)).toBe(true));
    expect(await admin.send('GET', `/api/sessions/${session.id}/events`)).toMatchObject({ status: 200 });
  });

  it('send a stranger nothing, however many others are sent the same at the same moment', async () => {
    const stranger = await api.workspace();
    const theirs = await messages(stranger.admin);
    const readers = await Promise.all(Array.from({ length: 20 }, () => messages(admin)));
    const { seq } = await publish('not for strangers');
    for (const reader of readers) {
      await eventually(() => expect(seqsOf(reader)).toContain(seq));
    }
    expect(hasClosed(theirs)).toBe(true);
    expect(seqsOf(theirs)).toEqual([]);
  });

  it('go on when one viewer reads nothing, and that one still ends when it may read no more', async () => {
    await share(true);
    const stuck = await colleague();
    const answer = await fetch(`${api.url}/api/sessions/${session.id}/events`, {
      headers: { cookie: stuck.cookie, accept: 'text/event-stream' },
    });
    const reader = await events(member);
    // More than what sockets and their buffers take.
    for (let count = 0; count < 400; count += 1) {
      await say(`${count} ${'x'.repeat(30_000)}`);
    }
    const { seq } = await publish('the last');
    await eventually(() => expect(seqsOf(reader)).toContain(seq));
    await api.db('members').where({ workspace_id: workspace.id, user_id: stuck.user.id }).delete();
    await sleep(checkMs);
    expect(await answer.text()).not.toContain('the last');
  });

  it('end when their statement fails, without what could not be checked, and new ones work', async () => {
    const readers = [await events(member), await events(admin), await messages(admin)];
    for (const reader of readers) {
      await eventually(() => expect(seqsOf(reader).length).toBeGreaterThan(0));
    }
    let ended = 0;
    for (const reader of readers) {
      void reader.ended.then(() => {
        ended += 1;
      });
    }
    const unchecked = await api.db.transaction(async (trx) => {
      await trx.raw('lock table sign_ins in access exclusive mode');
      // Rights that were asked for before the lock are too old by then.
      await sleep(checkMs);
      const { seq } = await publish('nobody can be checked');
      await eventually(async () => {
        await trx.raw(
          `select pg_cancel_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(ended).toBe(readers.length);
      });
      return seq;
    });
    expect(readers.flatMap(seqsOf)).not.toContain(unchecked);
    for (const reader of [await events(member), await messages(admin)]) {
      await eventually(() => expect(seqsOf(reader)).toContain(unchecked));
    }
  });
});

describe('many open streams', () => {
  it('cost a few statements together while nothing happens', async () => {
    const readers = await Promise.all(
      Array.from({ length: 150 }, (_, at) => (at % 2 === 0 ? events(member) : messages(admin))),
    );
    for (const reader of readers) {
      await eventually(() => expect(seqsOf(reader).length).toBeGreaterThan(0));
    }
    // What opened them is counted: an idle connection of Postgres reports its transactions within 10 s.
    await sleep(11_000);
    const [before, startedMs] = [await transactions(), performance.now()];
    await sleep(3 * checkMs);
    const seconds = (performance.now() - startedMs) / 1000;
    // One by one they would be 225 a second: three statements for each every two seconds. Together they
    // are 24 at most, three batches of two statements at each moment of checks, and the worker of the
    // test makes some of its own.
    expect(((await transactions()) - before) / seconds).toBeLessThan(75);
  });
});
