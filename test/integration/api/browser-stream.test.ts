/** A browser's single stream: sessions' events, notices of other changes, and its end when access is lost. */
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { defaultMaxListeners } from 'node:events';
import { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { moveSession } from '../../../commands/sessions/move.ts';
import { type StreamMessage, streamMessage } from '../../../contract/browser-stream.ts';
import type { Session } from '../../../contract/session.ts';
import { systemActor } from '../../../contract/session-event.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { MessageReader } from '../../support/message-reader.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let workspace: Workspace;
let admin: Person;
let member: Person;
let base: string;
let session: Session;
const open: MessageReader[] = [];
/** What Node publishes about a request that begins. */
const started = z.object({ response: z.instanceof(ServerResponse) });

beforeEach(async () => {
  ({ workspace, admin, member, base } = await api.workspace());
  ({ session } = await api.runningSession(member, base));
  await eventually(async () => expect((await known(session)).length).toBeGreaterThanOrEqual(2));
});
afterEach(() => {
  for (const reader of open.splice(0)) {
    reader.close();
  }
});

const known = async ({ id }: Session) =>
  (await member.ok<{ events: { seq: number }[] }>('GET', `/api/sessions/${id}/events`)).events;
const stream = async (person: Person, sessions = '') => {
  const reader = await MessageReader.open(`${api.url}/api/me/stream?sessions=${sessions}`, person.cookie);
  open.push(reader);
  return reader;
};
const publish = ({ id, agent_id: agentId }: Session, status: string) =>
  appendSessionEvent(api.db, id, {
    id: randomUUID(),
    type: 'agent.status',
    actor: { type: 'agent', id: agentId },
    payload: { status },
  });
const seqs = ({ messages }: MessageReader, { id }: Session) =>
  messages.flatMap((message) =>
    message.type === 'session.event' && message.event.session_id === id ? [message.event.seq] : [],
  );
const ofType = <Type extends StreamMessage['type']>({ messages }: MessageReader, type: Type) =>
  messages.filter((message): message is Extract<StreamMessage, { type: Type }> => message.type === type);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const removeFromWorkspace = (person: Person) =>
  api.db('members').where({ workspace_id: workspace.id, user_id: person.user.id }).delete();

describe('the stream of a browser', () => {
  it('names its user, and sends the events of several sessions, each once and in order', async () => {
    const { session: other } = await api.runningSession(member, base);
    const reader = await stream(member, `${session.id}:0,${other.id}:1`);
    for (let count = 0; count < 250; count += 1) {
      await publish(count % 2 === 0 ? session : other, `${count}`);
    }
    const lastOf = async ({ id }: Session) =>
      (await api.db('sessions').where({ id }).first())?.last_event_seq ?? 0;
    const [last, lastOfOther] = [await lastOf(session), await lastOf(other)];
    await eventually(() => {
      expect(seqs(reader, session)).toEqual(upTo(last));
      expect(seqs(reader, other)).toEqual(upTo(lastOfOther, 2));
    });
    expect(reader.messages[0]).toEqual({ type: 'open', user_id: member.user.id });
    for (const message of reader.messages) {
      expect(streamMessage.parse(message)).toEqual(message);
    }
  });

  it.each([
    ['of a browser', () => '/api/me/stream'],
    ['of a session', () => `/api/sessions/${session.id}/events`],
  ])('has so few listeners that Node does not warn about a leak: the stream %s', async (_, path) => {
    const responses: ServerResponse[] = [];
    const note = (message: unknown) => responses.push(started.parse(message).response);
    subscribe('http.server.request.start', note);
    const ended = new AbortController();
    const headers = { cookie: member.cookie, accept: 'text/event-stream' };
    const answer = await fetch(`${api.url}${path()}`, { headers, signal: ended.signal });
    await answer.body?.getReader().read();
    unsubscribe('http.server.request.start', note);
    const counts = responses.map((response) => response.listenerCount('close'));
    ended.abort();
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(counts).toHaveLength(1);
    expect(counts[0]).toBeLessThanOrEqual(defaultMaxListeners);
  });

  it('sends no event without the right to read the session, and reports that', async () => {
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    const stranger = await api.person('Stranger');
    const readers = [
      await stream(outsider, `${session.id}:0`),
      await stream(stranger, `${session.id}:0`),
      await stream(member, `${randomUUID()}:0`),
    ];
    for (const reader of readers) {
      await eventually(() => expect(ofType(reader, 'session.closed')).toMatchObject([{ reason: 'refused' }]));
      expect(ofType(reader, 'session.event')).toEqual([]);
    }
    expect((await stream(member, 'nonsense')).status).toBe(422);
    const tooMany = Array.from({ length: 101 }, () => `${randomUUID()}:0`).join(',');
    expect((await stream(member, tooMany)).status).toBe(422);
    expect((await fetch(`${api.url}/api/me/stream`)).status).toBe(401);
  });

  it('closes a session after its last event, and immediately when there are no more', async () => {
    const reader = await stream(member, `${session.id}:0`);
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'Enough' });
    await eventually(() =>
      expect(ofType(reader, 'session.closed')).toEqual([
        { type: 'session.closed', session_id: session.id, reason: 'ended' },
      ]),
    );
    const last = seqs(reader, session).length;
    expect(seqs(reader, session)).toEqual(upTo(last));
    const after = await stream(member, `${session.id}:${last}`);
    await eventually(() => expect(ofType(after, 'session.closed')).toMatchObject([{ reason: 'ended' }]));
    expect(seqs(after, session)).toEqual([]);
  });

  it('announces changed lists to members of the workspace only', async () => {
    const stranger = await api.workspace();
    const readers = { admin: await stream(admin), stranger: await stream(stranger.admin) };
    await eventually(() => expect(readers.admin.messages.length).toBeGreaterThan(0));
    await moveSession(api.db, session.id, { to: 'terminated', reason: 'Enough' });
    const changed = (topic: string) => ({ type: 'workspace.changed', workspace_id: workspace.id, topic });
    await eventually(() => expect(readers.admin.messages).toContainEqual(changed('sessions')));
    await eventually(() => expect(readers.admin.messages).toContainEqual(changed('permission_requests')));
    await appendSessionEvent(api.db, session.id, {
      id: randomUUID(),
      type: 'session.tools_changed',
      actor: systemActor,
      payload: {
        ...{ server: 'files', new_tools: ['send'], changed_tools: [], more_tools: 0 },
        ...{ instructions_changed: false, refused: false },
      },
    });
    await eventually(() => expect(readers.admin.messages).toContainEqual(changed('tool_definitions')));
    expect(JSON.stringify(readers.stranger.messages)).not.toContain(workspace.id);
  });

  it('announces a burst of changes at most once a second', async () => {
    const reader = await stream(admin);
    await eventually(() => expect(reader.messages.length).toBeGreaterThan(0));
    const startedAt = Date.now();
    for (let count = 0; count < 100; count += 1) {
      await api.db.raw(`select pg_notify('session_events', ?)`, [
        `${session.id}:${count}:${workspace.id}:session.status_changed`,
      ]);
    }
    await eventually(() => expect(ofType(reader, 'workspace.changed').length).toBeGreaterThan(0));
    await publish(session, 'nothing for lists');
    const seconds = (Date.now() - startedAt) / 1000;
    // Two topics, each at most once a second.
    expect(ofType(reader, 'workspace.changed').length).toBeLessThanOrEqual(2 * (Math.ceil(seconds) + 1));
  });

  it('notifies a removed member immediately, and sends no further events of the workspace', async () => {
    const reader = await stream(member, `${session.id}:0`);
    await eventually(() => expect(seqs(reader, session).length).toBeGreaterThan(0));
    await removeFromWorkspace(member);
    const { seq } = await publish(session, 'not for them');
    await eventually(() => {
      expect(ofType(reader, 'memberships.changed')).toHaveLength(1);
      expect(ofType(reader, 'session.closed')).toMatchObject([{ reason: 'refused' }]);
    });
    expect(seqs(reader, session)).not.toContain(seq);
  });

  it('reports an added membership and a changed role', async () => {
    const newcomer = await api.person('Nora Newcomer');
    const reader = await stream(newcomer);
    await eventually(() => expect(reader.messages).toHaveLength(1));
    await api.join(workspace, newcomer, 'member');
    await eventually(() => expect(ofType(reader, 'memberships.changed')).toHaveLength(1));
    await api.db('members').where({ user_id: newcomer.user.id }).update({ role: 'admin' });
    await eventually(() => expect(ofType(reader, 'memberships.changed')).toHaveLength(2));
  });

  it('ends when the reader signs out', async () => {
    const reader = await stream(member, `${session.id}:0`);
    await eventually(() => expect(reader.messages.length).toBeGreaterThan(0));
    await member.ok('POST', '/api/auth/sign-out', {});
    await reader.ended;
    expect(reader.messages.at(-1)).toEqual({ type: 'signed_out' });
  });

  it('survives the loss of the connection that listens', async () => {
    const reader = await stream(member, `${session.id}:0`);
    await eventually(() => expect(reader.messages.length).toBeGreaterThan(1));
    await api.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'gatepost-events' and datname = current_database()`,
    );
    const { seq } = await publish(session, 'unheard');
    await eventually(() => expect(seqs(reader, session)).toContain(seq));
    expect(seqs(reader, session)).toEqual(upTo(seqs(reader, session).length));
  });
});

describe('a message that the agent still writes', () => {
  const tell = (messageId: string, text: string, { id } = session) =>
    api.asSidecar(id, 'PUT', 'live-text', { message_id: messageId, text });
  const say = (id: string, text: string) =>
    api.asSidecar(session.id, 'POST', 'events', { id, type: 'agent.message', payload: { text } });
  const textsIn = (reader: MessageReader) => ofType(reader, 'session.text').map(({ text }) => text);
  const isShown = (reader: MessageReader, text: string) =>
    eventually(() => expect(textsIn(reader)).toContain(text));
  const said = async () =>
    (
      await member.ok<{ events: { id: string; type: string; payload: object }[] }>(
        'GET',
        `/api/sessions/${session.id}/events`,
      )
    ).events.flatMap(({ id, type, payload }) => (type === 'agent.message' ? [{ id, ...payload }] : []));

  it('is shown as far as it is, and is an event only at its end', async () => {
    const reader = await stream(member, `${session.id}:0`);
    const id = randomUUID();
    for (const text of ['I', 'I found', 'I found three']) {
      expect(await tell(id, text)).toMatchObject({ status: 200 });
      await isShown(reader, text);
    }
    expect(await said()).toEqual([]);
    expect(await tell(id, 'I fou')).toMatchObject({ status: 200 });
    const late = await stream(member, `${session.id}:0`);
    await isShown(late, 'I found three');
    expect(textsIn(late)).toEqual(['I found three']);
    await say(id, 'I found three files.');
    await eventually(() =>
      expect(reader.messages.at(-1)).toMatchObject({
        event: { id, payload: { text: 'I found three files.' } },
      }),
    );
    // Pieces that were late on their way.
    expect(await tell(id, 'I found three fi')).toMatchObject({ status: 200 });
    const { seq } = await publish(session, 'after it');
    await eventually(() => expect(seqs(reader, session)).toContain(seq));
    expect(textsIn(reader)).toEqual(['I', 'I found', 'I found three']);
    expect(await said()).toEqual([{ id, text: 'I found three files.', channel: null }]);
  });

  it('is shown to nobody who may not read the session, nor any more to a removed member', async () => {
    const outsider = await api.person('Olga Outsider');
    await api.join(workspace, outsider, 'member');
    const stranger = await api.workspace();
    const id = randomUUID();
    await tell(id, 'a first piece');
    const refused = await Promise.all(
      [outsider, stranger.admin].map((person) => stream(person, `${session.id}:0`)),
    );
    const readers = {
      removed: await stream(member, `${session.id}:0`),
      stays: await stream(admin, `${session.id}:0`),
    };
    await isShown(readers.removed, 'a first piece');
    await removeFromWorkspace(member);
    await tell(id, 'a first piece, and more');
    await isShown(readers.stays, 'a first piece, and more');
    expect(textsIn(readers.removed)).toEqual(['a first piece']);
    expect(refused.flatMap(textsIn)).toEqual([]);
  });

  it('shows no value of a secret, however it is cut, and nothing where a value is not known', async () => {
    const value = 'a-value-nobody-reads';
    await admin.ok('PUT', `${base}/secrets/AGENT_KEY`, { value });
    const env = { KEY: { kind: 'secret', secret_name: 'AGENT_KEY', secret_version: 1 } };
    const giveSecret = (id: string) =>
      api
        .db('session_configurations')
        .where({ session_id: id })
        .update({ configuration: api.db.raw(`jsonb_set(configuration, '{agent,env}', ?::jsonb)`, [env]) });
    await giveSecret(session.id);
    const reader = await stream(member, `${session.id}:0`);
    const id = randomUUID();
    const whole = `the key is ${value}, and that is ${Buffer.from(value).toString('base64')}.`;
    for (let end = 1; end <= whole.length; end += 3) {
      await tell(id, whole.slice(0, end));
    }
    // The last digits depend on what comes after the value.
    const shown = /^the key is \[secret\], and that is \[secret\]\w*=*/;
    await eventually(() => expect(textsIn(reader).at(-1)).toMatch(shown));
    await say(id, whole);
    await eventually(async () =>
      expect(await said()).toMatchObject([{ text: expect.stringMatching(shown) }]),
    );
    for (const text of textsIn(reader).filter((each) => !shown.test(each))) {
      expect('the key is [secret], and that is ').toContain(text);
    }
    await admin.ok('PUT', `${base}/secrets/AGENT_KEY`, { value: 'another-value' });
    const { session: other } = await api.runningSession(member, base);
    await giveSecret(other.id);
    await tell(randomUUID(), 'now it cannot be searched', other);
    expect(await api.db('session_live_texts').where({ session_id: other.id })).toEqual([]);
  });

  it('is one event, marked as cut off, when another one begins or the session ends', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    await tell(ids[0], 'left by a sidecar that died');
    await tell(ids[1], 'begun by the next one');
    await say(ids[2], 'said whole');
    const last = randomUUID();
    await tell(last, 'and the agent di');
    await moveSession(api.db, session.id, { to: 'failed', reason: 'The agent ended' });
    expect(await tell(last, 'after the end')).not.toMatchObject({ status: 200 });
    expect(await said()).toEqual([
      { id: ids[0], text: 'left by a sidecar that died', channel: null, cut_off: true },
      { id: ids[1], text: 'begun by the next one', channel: null, cut_off: true },
      { id: ids[2], text: 'said whole', channel: null },
      { id: last, text: 'and the agent di', channel: null, cut_off: true },
    ]);
    expect(await api.db('session_live_texts').where({ session_id: session.id })).toEqual([]);
  });

  it('is refused beyond its limits, and an id in use elsewhere hinders nothing', async () => {
    const id = randomUUID();
    for (const text of ['é'.repeat(32 * 1024 + 1), 'a\u001b[2Jb', 'a\u0000b']) {
      expect(await tell(id, text)).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: 'text' }] } },
      });
    }
    const { session: other } = await api.runningSession(member, base);
    await tell(id, 'of the first session');
    await api.asSidecar(other.id, 'POST', 'events', {
      id,
      type: 'agent.message',
      payload: { text: 'taken' },
    });
    await moveSession(api.db, session.id, { to: 'completed', reason: null });
    expect(await said()).toEqual([]);
  });
});
