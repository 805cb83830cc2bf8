/** What an agent writes while it writes it: how often and how much is told, and the event of the rest. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type LiveTextReport,
  liveTextReport,
  wholeCharacters,
  withoutControls,
} from '../../../../contract/live-text.ts';
import type { EventReport } from '../../../../contract/sidecar.ts';
import { LiveText, shownOf } from '../../../../sidecar/live-text/live-text.ts';
import { PlatformRefusal, PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';

function platform() {
  const told: LiveTextReport[] = [];
  const events: EventReport[] = [];
  const state: {
    failWith: Error | null;
    failOnce: Error | null;
    wait: Promise<void> | null;
    waitToShow: Promise<void> | null;
    ids: string[];
  } = { failWith: null, failOnce: null, wait: null, waitToShow: null, ids: [] };
  const api = {
    async showLiveText(report: LiveTextReport, _limitMs?: number, signal?: AbortSignal) {
      await state.waitToShow;
      signal?.throwIfAborted();
      if (state.failWith !== null) {
        throw state.failWith;
      }
      told.push(liveTextReport.parse(report));
    },
    async publishEvent(event: EventReport) {
      state.ids.push(event.id);
      await state.wait;
      const failure = state.failWith ?? state.failOnce;
      state.failOnce = null;
      if (failure !== null) {
        throw failure;
      }
      events.push(event);
    },
  };
  return { live: new LiveText(api), told, events, state };
}
const message = (text: string) => ({ text, channel: null });
const textsOf = (told: readonly LiveTextReport[]) => told.map(({ text }) => text);
const pass = (durationMs: number) => jest.advanceTimersByTimeAsync(durationMs);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a message that is written', () => {
  it('is told whole, at most four times a second, however often it grows', async () => {
    const { live, told } = platform();
    let text = '';
    for (let count = 0; count < 100; count += 1) {
      text += `${count} `;
      await live.write(text);
      await pass(10);
    }
    await pass(250);
    expect(told.at(-1)?.text).toBe(text);
    expect(told).toHaveLength(5);
    expect(new Set(told.map(({ message_id }) => message_id)).size).toBe(1);
    await live.close();
  });

  it('becomes the event of the same id when it comes whole, and its pieces end', async () => {
    const { live, told, events } = platform();
    await live.write('I fou');
    await pass(0);
    await live.write('I found th');
    const id = await live.publish(message('I found three.'));
    await pass(1000);
    expect(told.map(({ message_id, text }) => [message_id, text])).toEqual([[id, 'I fou']]);
    expect(events).toEqual([{ id, type: 'agent.message', payload: message('I found three.') }]);
    expect(await live.publish(message('Another.'))).not.toBe(id);
  });

  it('that is shown and then another is an event that says so: nothing that people read goes unrecorded', async () => {
    const { live, events } = platform();
    await live.write('Approve this, it is harmless');
    await live.write('Something else');
    await live.publish(message('Good morning.'));
    expect(events.map(({ payload }) => payload)).toEqual([
      { ...message('Approve this, it is harmless'), cut_off: true },
      { ...message('Something else'), cut_off: true },
      message('Good morning.'),
    ]);
    await live.write(' \n');
    await live.publish(message('Blank is nothing.'));
    expect(events).toHaveLength(4);
  });

  it('is not published again when it comes whole after a silence, and with more under another id', async () => {
    const { live, told, events } = platform();
    await live.write('All is done.');
    await pass(60_000);
    await live.write('All is done.');
    const id = await live.publish(message('All is done.'));
    await pass(1000);
    expect(told).toHaveLength(1);
    expect(events).toEqual([
      { id, type: 'agent.message', payload: { ...message('All is done.'), cut_off: true } },
    ]);
    const more = await live.publish(message('All is done. And tested.'));
    expect(more).not.toBe(id);
    expect(await live.publish(message('All is done.'))).not.toBe(id);
    expect(events).toHaveLength(3);
  });

  it('waits for the end of the one before that is cut off', async () => {
    const { live, events, state } = platform();
    await live.write('Left');
    let go: () => void = () => undefined;
    state.wait = new Promise((resolve) => {
      go = resolve;
    });
    const next = live.write('Something else');
    await pass(0);
    const said = live.publish(message('Something else, whole'));
    state.wait = null;
    await pass(0);
    expect(events).toEqual([]);
    go();
    await Promise.all([next, said]);
    expect(events.map(({ payload }) => payload)).toEqual([
      { ...message('Left'), cut_off: true },
      message('Something else, whole'),
    ]);
  });

  it('that the platform has cut off is published whole under another id, also in the next attempt', async () => {
    const { live, events, state } = platform();
    await live.write('I fou');
    state.failWith = new PlatformRefusal(409, 'conflict', 'The event id is in use');
    await expect(live.publish(message('I found three.'))).rejects.toThrow('in use');
    const [refused] = state.ids;
    state.failOnce = state.failWith;
    state.failWith = null;
    const id = await live.publish(message('I found three.'));
    expect(new Set(state.ids).size).toBe(3);
    expect(id).not.toBe(refused);
    expect(events).toEqual([{ id, type: 'agent.message', payload: message('I found three.') }]);
  });

  it('whose end never comes is cut off', async () => {
    const { live, events } = platform();
    await live.write('and then I');
    await pass(59_000);
    await live.write('and then I s');
    await pass(59_000);
    expect(events).toEqual([]);
    await pass(1_000);
    expect(events).toMatchObject([{ payload: { ...message('and then I s'), cut_off: true } }]);
  });

  it('is told as it is then when the platform answers again, and once more where it refused', async () => {
    const { live, told, state, events } = platform();
    state.failWith = new PlatformUnreachable('no');
    await live.write('one');
    await pass(0);
    await live.write('one two');
    await expect(live.publish(message('one two three'))).rejects.toThrow('no');
    state.failWith = null;
    await pass(250);
    expect(textsOf(told)).toEqual(['one two']);
    const [{ message_id: id } = { message_id: '' }] = told;
    state.failWith = new PlatformRefusal(429, 'rate_limited', 'slower');
    await live.write('one two th');
    await pass(1000);
    state.failWith = null;
    await pass(1000);
    expect(told).toHaveLength(1);
    await live.write('one two thr');
    await pass(0);
    expect(textsOf(told)).toEqual(['one two', 'one two thr']);
    // Another attempt is the same message.
    expect(await live.publish(message('one two three'))).toBe(id);
    expect(events).toHaveLength(1);
  });

  it('is not told while it is blank, and again every half minute while it stays as it is', async () => {
    const { live, told } = platform();
    await live.write(' \n');
    await pass(1000);
    expect(told).toEqual([]);
    for (let count = 0; count < 7; count += 1) {
      await live.write(' \nat it');
      await pass(10_000);
    }
    expect(textsOf(told)).toEqual([' \nat it', ' \nat it']);
    await live.close();
  });

  it('is told a last time when the sidecar ends', async () => {
    const { live, told } = platform();
    await live.write('a');
    await pass(0);
    await live.write('ab');
    await live.close();
    expect(textsOf(told)).toEqual(['a', 'ab']);
  });

  it('is told a last time after a piece that is on its way when the sidecar ends', async () => {
    const { live, told, state } = platform();
    let arrive = () => {};
    state.waitToShow = new Promise((resolve) => {
      arrive = resolve;
    });
    await live.write('a');
    await pass(0);
    await live.write('ab');
    const closed = live.close();
    arrive();
    await closed;
    expect(textsOf(told)).toEqual(['a', 'ab']);
  });

  it('keeps no sidecar from ending that the platform does not answer', async () => {
    const { live, told, state } = platform();
    state.waitToShow = new Promise(() => {});
    await live.write('a');
    await pass(0);
    const closed = live.close();
    await pass(1000);
    await closed;
    expect(told).toEqual([]);
  });
});

describe('what is shown of a text', () => {
  it('begins with the piece before, also where that ended within a character', () => {
    const text = 'a\ud83d\ude00b';
    const pieces = [1, 2, 3, 4].map((end) => wholeCharacters(text.slice(0, end)));
    expect(pieces).toEqual(['a', 'a', 'a\ud83d\ude00', text]);
  });

  it('is 64 KiB at most, of whole characters, and only grows while it does', async () => {
    const { live, told, events } = platform();
    const long = 'é'.repeat(40_000);
    expect(shownOf(long)).toBe('é'.repeat(32 * 1024));
    expect(shownOf(`a${long}`)).toBe(`a${'é'.repeat(32 * 1024 - 1)}`);
    expect(shownOf(`\ufeff${long}`)).toBe(`\ufeff${'é'.repeat(32 * 1024 - 2)}`);
    await live.write(long);
    await live.write(`${long}${long}`);
    await pass(0);
    await live.write(`${long}${long}${long}`);
    await pass(10_000);
    expect(textsOf(told)).toEqual(['é'.repeat(32 * 1024)]);
    await live.publish(message(long));
    expect(events).toMatchObject([{ payload: message(long) }]);
  });

  it.each([
    ['what moves a cursor', 'a\u001b[2J\u0007b\u009bc', 'a[2Jbc'],
    ['what no text of the database has', 'a\u0000b', 'ab'],
    ['half a character that the next piece completes', 'a\ud83d', 'a'],
    ['half a character without its rest', 'a\udc00b', 'a\ufffdb'],
  ])('is without %s', (_what, given, shown) => {
    expect(withoutControls(given)).toBe(shown);
    expect(liveTextReport.shape.text.safeParse(shown).success).toBe(true);
  });
});
