/** A text that people were shown is on record, once, whoever is late or dies. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Session } from '../../../contract/session.ts';
import { readLiveTexts } from '../../../store/live-texts/live-texts.ts';
import { readWatchedSessions } from '../../../store/sessions/list.ts';
import type { Person } from '../../support/api.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let member: Person;
let base: string;
let session: Session;

beforeAll(async () => {
  ({ member, base } = await api.workspace());
});
beforeEach(async () => {
  ({ session } = await api.runningSession(member, base));
});

const tell = (messageId: string, text: string) =>
  api.asSidecar(session.id, 'PUT', 'live-text', { message_id: messageId, text });
const publish = (id: string, payload: object) =>
  api.asSidecar(session.id, 'POST', 'events', { id, type: 'agent.message', payload });
const say = (id: string, text: string) => publish(id, { text });
const said = async () => {
  const path = `/api/sessions/${session.id}/events`;
  const { events } = await member.ok<{ events: { id: string; type: string; payload: object }[] }>(
    'GET',
    path,
  );
  return events.flatMap(({ id, type, payload }) => (type === 'agent.message' ? [{ id, ...payload }] : []));
};
const shown = async () => {
  const [texts, sessions] = await Promise.all([
    readLiveTexts(api.db, [session.id]),
    readWatchedSessions(api.db, [session.id]),
  ]);
  expect(sessions.get(session.id)?.live_text === null).toBe(!texts.has(session.id));
  return texts.get(session.id)?.text ?? null;
};

describe('a text that was shown', () => {
  it('is not cut off by a late piece, and whole where it was', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    await tell(ids[0], 'the first');
    await say(ids[0], 'the first one');
    await tell(ids[1], 'the second');
    expect(await tell(ids[0], 'the fir')).toMatchObject({ status: 200 });
    await say(ids[1], 'the second one');
    await tell(ids[2], 'the third');
    await tell(randomUUID(), 'begun meanwhile');
    const whole = 'the third one';
    // Nothing is taken for stored that is not: its sidecar says it again under another id.
    expect(await say(ids[2], whole)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const again = await publish(ids[2], { text: whole, cut_off: true });
    expect(again).toMatchObject({ status: 200 });
    expect(await said()).toEqual([
      { id: ids[0], text: 'the first one', channel: null },
      { id: ids[1], text: 'the second one', channel: null },
      { id: ids[2], text: 'the third', channel: null, cut_off: true },
    ]);
  });

  it('stays on record where the whole message does not begin with what was shown', async () => {
    const [shown, grown] = [randomUUID(), randomUUID()];
    await tell(shown, 'approve it, it is harmless');
    await say(shown, '[secret]');
    await tell(grown, 'in two lines\nof it');
    await say(grown, 'in two lines\r\nof it, and more');
    expect(await said()).toEqual([
      {
        id: expect.not.stringMatching(shown),
        text: 'approve it, it is harmless',
        channel: null,
        cut_off: true,
      },
      { id: shown, text: '[secret]', channel: null },
      { id: grown, text: 'in two lines\r\nof it, and more', channel: null },
    ]);
  });

  it('is not shown for long once its sidecar has died, and is an event when the next one is ready', async () => {
    const id = randomUUID();
    await tell(id, ' \n');
    expect(await shown()).toBeNull();
    await tell(id, 'it is');
    expect(await shown()).toBe('it is');
    const age = (minutes: number) =>
      api
        .db('session_live_texts')
        .where({ session_id: session.id })
        .update({ updated_at: api.db.raw(`now() - make_interval(mins => ${minutes})`) });
    await age(1);
    expect(await shown()).toBe('it is');
    await age(3);
    expect(await shown()).toBeNull();
    await tell(id, 'it is');
    expect(await shown()).toBe('it is');
    await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    expect(await shown()).toBeNull();
    expect(await said()).toEqual([{ id, text: 'it is', channel: null, cut_off: true }]);
  });
});
