import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { moveSession } from '../../../commands/sessions/move.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import type { Person } from '../../support/api.ts';
import { EventReader } from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
const open: EventReader[] = [];

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session } = await api.runningSession(member, base));
  await eventually(async () => expect((await json()).at(-1)?.payload).toMatchObject({ to: 'running' }));
});
afterEach(() => {
  for (const reader of open.splice(0)) {
    reader.close();
  }
});
afterAll(() => api.stop());

const path = () => `/api/sessions/${session.id}/events`;
const json = async () =>
  (await member.ok<{ events: { seq: number; payload: object }[] }>('GET', path())).events;
const stream = async (person = member, lastEventId?: string, query = '') => {
  const reader = await EventReader.open(api.url + path() + query, { cookie: person.cookie, lastEventId });
  open.push(reader);
  return reader;
};
const publish = (text: string) =>
  appendSessionEvent(api.db, session.id, {
    id: randomUUID(),
    type: 'agent.status',
    actor: { type: 'agent', id: session.agent_id },
    payload: { status: text },
  });
const seqs = (reader: EventReader) => reader.events.map(({ seq }) => seq);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const last = async () => (await json()).at(-1)?.seq ?? 0;

describe('the events of a session as JSON', () => {
  it('are in order and paged', async () => {
    await publish('one');
    const page = await member.ok<{ events: { seq: number }[]; next_after: number }>(
      'GET',
      `${path()}?after=1&limit=2`,
    );
    expect(page.events.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(page.next_after).toBe(3);
    expect(await member.ok('GET', `${path()}?after=1000`)).toEqual({ events: [], next_after: 1000 });
  });

  it('are read from the newest back, with `before`, each page in order', async () => {
    for (const text of ['one', 'two', 'three']) {
      await publish(text);
    }
    const end = await last();
    const read = async (query: string) =>
      (await member.ok<{ events: { seq: number }[] }>('GET', `${path()}?${query}`)).events.map(
        ({ seq }) => seq,
      );
    expect(await read('before=2147483647&limit=2')).toEqual([end - 1, end]);
    expect(await read(`before=${end - 1}&limit=2`)).toEqual([end - 3, end - 2]);
    expect(await read(`before=${end}&after=${end - 2}`)).toEqual([end - 1]);
    expect(await read('before=1')).toEqual([]);
    expect(await read('before=2147483647&limit=200')).toEqual(upTo(end));
    const streamed = await member.send('GET', `${path()}?before=3`, undefined, {
      accept: 'text/event-stream',
    });
    expect(streamed).toMatchObject({ status: 422, body: { error: { fields: [{ path: 'before' }] } } });
  });

  it('are for its operator and admins only', async () => {
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    expect(await outsider.send('GET', path())).toMatchObject({ status: 403 });
    expect((await stream(outsider)).status).toBe(403);
    expect(await admin.send('GET', path())).toMatchObject({ status: 200 });
    const stranger = await api.person('Stranger');
    expect(await stranger.send('GET', path())).toMatchObject({ status: 404 });
  });
});

describe('the stream of a session’s events', () => {
  it('sends past events and then new ones, each once, without a gap between the two', async () => {
    const before = await last();
    let stop = false;
    let written = before;
    const writer = (async () => {
      while (!stop) {
        await publish(`${written}`);
        written += 1;
      }
    })();
    const readers: EventReader[] = [];
    for (let count = 0; count < 8; count += 1) {
      readers.push(await stream());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop = true;
    await writer;
    expect(written).toBeGreaterThan(before + 20);
    for (const reader of readers) {
      await eventually(() => expect(reader.events).toHaveLength(written));
      expect(seqs(reader)).toEqual(upTo(written));
    }
  });

  it('resumes after the last event that was received', async () => {
    const from = await last();
    const first = await stream();
    await eventually(() => expect(first.events).toHaveLength(from));
    first.close();
    await publish('while away');
    await publish('while still away');
    const second = await stream(member, first.ids.at(-1));
    await publish('back');
    await eventually(() => expect(seqs(second)).toEqual(upTo(from + 3, from + 1)));
    const third = await stream(member, undefined, `?after=${from + 2}`);
    await eventually(() => expect(seqs(third)).toEqual([from + 3]));
    expect((await stream(member, 'nonsense')).status).toBe(422);
  });

  it('survives the loss of the connection that listens', async () => {
    const reader = await stream();
    await eventually(() => expect(reader.events.length).toBeGreaterThan(0));
    await api.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'gatepost-events' and datname = current_database()`,
    );
    const { seq } = await publish('unheard');
    await eventually(() => expect(seqs(reader)).toEqual(upTo(seq)));
  });

  it('ends after the session’s last event, and does not reconnect after it', async () => {
    const reader = await stream();
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'Enough' });
    await reader.ended;
    expect(reader.events.at(-1)?.payload).toMatchObject({ to: 'terminated' });
    const whole = await stream();
    await whole.ended;
    expect(seqs(whole)).toEqual(seqs(reader));
    const after = await stream(member, reader.ids.at(-1));
    expect(after.status).toBe(204);
  });

  it('ends within seconds when the reader signs out', async () => {
    const reader = await stream();
    await member.ok('POST', '/api/auth/sign-out', {});
    await reader.ended;
  });

  it('ends within seconds when the reader is removed from the workspace, and sends nothing more', async () => {
    const reader = await stream();
    await eventually(() => expect(reader.events.length).toBeGreaterThan(0));
    await api.db('members').where({ workspace_id: workspace.id, user_id: member.user.id }).delete();
    const { seq } = await publish('not for them');
    await reader.ended;
    expect(seqs(reader)).not.toContain(seq);
  });

  it('releases everything when the reader disconnects', async () => {
    const reader = await stream();
    await eventually(() => expect(reader.events.length).toBeGreaterThan(0));
    reader.close();
    await reader.ended;
    expect(await publish('to nobody')).toMatchObject({ type: 'agent.status' });
  });
});
