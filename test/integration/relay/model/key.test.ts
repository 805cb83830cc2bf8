/** The key of a model's endpoint, which no answer brings back, whole or in pieces. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  begin,
  deltaEvent,
  endEvents,
  event,
  eventsIn,
  ModelSession,
  message,
  modelKey,
  question,
  sendMessage,
  startEvent,
} from './model-session.ts';

let session: ModelSession;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(() => session.stop());

const streamed = { ...question, stream: true };

describe('the key', () => {
  it('does not come back, however the endpoint writes it', async () => {
    await session.start();
    const base64 = Buffer.from(modelKey).toString('base64');
    const text = `${modelKey} ${base64} ${encodeURIComponent(modelKey)} ${Buffer.from(modelKey).toString('hex')}`;
    session.respond = (_asked, response) =>
      sendMessage(response, { ...message, content: [{ type: 'text', text }] });
    const whole = await session.ask(question);
    session.respond = (_asked, response) =>
      begin(response).end([startEvent, deltaEvent(text), ...endEvents].map(event).join(''));
    const pieces = await session.ask(streamed);
    for (const answer of [whole, pieces]) {
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('[secret]');
      expect(answer.text).not.toContain(modelKey);
      expect(answer.text).not.toContain(base64.slice(0, -4));
    }
  });

  /** What a client puts together of an answer's deltas. */
  async function putTogether(sent: readonly ({ type: string } & Record<string, unknown>)[]) {
    session.respond = (_asked, response) => begin(response).end(sent.map(event).join(''));
    const { text } = await session.ask(streamed);
    const contents: Record<string, string> = {};
    const add = (index: unknown, kind: string, piece: unknown) => {
      contents[`${index} ${kind}`] = `${contents[`${index} ${kind}`] ?? ''}${piece}`;
    };
    for (const each of eventsIn(text)) {
      const begun = each['content_block'] as Record<string, string> | undefined;
      const { type: _type, ...pieces } = (each['delta'] ?? {}) as Record<string, string>;
      add(each['index'], 'text', begun?.['text'] ?? '');
      for (const [kind, piece] of Object.entries(each.type === 'content_block_delta' ? pieces : {})) {
        add(each['index'], kind, piece);
      }
    }
    return { contents, types: eventsIn(text).map(({ type }) => type) };
  }
  const delta = (index: number, type: string, field: string, text: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type, [field]: text },
  });
  const kinds = [
    { type: 'text_delta', field: 'text' },
    { type: 'thinking_delta', field: 'thinking' },
    { type: 'input_json_delta', field: 'partial_json' },
  ];

  it.each(kinds)('does not come back in pieces of $type', async ({ type, field }) => {
    await session.start();
    const base64 = Buffer.from(modelKey).toString('base64url');
    for (const size of [1, 7, modelKey.length - 1]) {
      const pieces = `a ${modelKey} b ${base64} c`.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const other = delta(1, 'text_delta', 'text', 'x');
      // Another content between two pieces does not part them.
      const sent = pieces.flatMap((piece) => [delta(0, type, field, piece), other]);
      const { contents } = await putTogether([startEvent, ...sent, ...endEvents]);
      expect(contents[`0 ${field}`]).toMatch(/^a \[secret\] b \[secret\][^ ]{0,2} c$/);
      expect(contents['1 text']).toBe('x'.repeat(pieces.length));
    }
  });

  it('does not come back in the first text of a content and its deltas', async () => {
    await session.start();
    const content_block = { type: 'text', text: `a ${modelKey.slice(0, 6)}` };
    const first = { type: 'content_block_start', index: 0, content_block };
    const { contents } = await putTogether([
      startEvent,
      first,
      deltaEvent(`${modelKey.slice(6)} b`),
      ...endEvents,
    ]);
    expect(contents['0 text']).toBe('a [secret] b');
  });

  it('leaves what only begins like it, before the content ends', async () => {
    await session.start();
    const stop = { type: 'content_block_stop', index: 0 };
    const sent = [
      startEvent,
      deltaEvent('risk'),
      deltaEvent('s 🔑'),
      deltaEvent('sk-te'),
      stop,
      ...endEvents,
    ];
    const { contents, types } = await putTogether(sent);
    expect(contents['0 text']).toBe('risks 🔑sk-te');
    expect(types.slice(-4)).toEqual([
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const split = await putTogether([startEvent, deltaEvent('\ud83d'), deltaEvent('\udd11'), ...endEvents]);
    expect(split.contents['0 text']).toBe('🔑');
  });

  it('is looked for in a bounded number of contents at a time', async () => {
    await session.start();
    const sent = Array.from({ length: 1000 }, (_, index) => delta(index, 'text_delta', 'text', 's'));
    const { types } = await putTogether([startEvent, ...sent, ...endEvents]);
    expect(types.at(-1)).toBe('error');
  });

  it('that no header may have is not used', async () => {
    await session.start({ key: 'a key\nwith: a header' });
    const answer = await session.ask(question);
    expect(answer).toMatchObject({ status: 400, headers: { 'x-should-retry': 'false' } });
    expect(answer.text).not.toContain('with: a header');
    expect(session.asked).toEqual([]);
  });
});
