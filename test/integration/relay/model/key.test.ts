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
import {
  chatCase,
  chatDelta,
  chatEnd,
  dataIn,
  responseDelta,
  responseEnd,
  responseStart,
  responsesCase,
  sendJson,
  sendStream,
  writeChat,
  writeResponses,
} from './openai-dialects.ts';

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
      const [between = { type: '', field: '' }] = kinds.filter((kind) => kind.type !== type);
      const other = delta(1, between.type, between.field, 'x');
      // Another content between two pieces does not part them.
      const sent = pieces.flatMap((piece) => [delta(0, type, field, piece), other]);
      const { contents } = await putTogether([startEvent, ...sent, ...endEvents]);
      expect(contents[`0 ${field}`]).toMatch(/^a \[secret\] b \[secret\][^ ]{0,2} c$/);
      expect(contents[`1 ${between.field}`]).toBe('x'.repeat(pieces.length));
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

  it('does not come back over contents that a client joins', async () => {
    await session.start();
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    const over = async (pieces: readonly string[], isEnded = true) => {
      const sent = pieces.flatMap((piece, index) => [
        delta(index, 'text_delta', 'text', piece),
        ...(isEnded ? [stop(index)] : []),
      ]);
      const { contents } = await putTogether([startEvent, ...sent, ...endEvents]);
      return pieces.map((_piece, index) => contents[`${index} text`]).join('');
    };
    expect(await over(modelKey.match(/.{1,7}/g) ?? [])).toBe(`sk-test${'[secret]'.repeat(5)}`);
    expect(await over(modelKey.match(/.{1,7}/g) ?? [], false)).toBe(`sk-test${'[secret]'.repeat(5)}`);
    expect(await over([`a ${modelKey.slice(0, 12)}`, `${modelKey.slice(12)} b`])).toBe(
      'a [secret][secret] b',
    );
    expect(await over(['a s', 'k-test', ' s', ''])).toBe('a sk-test s');
    const signed =
      modelKey.match(/.{1,5}/g)?.map((each) => delta(0, 'signature_delta', 'signature', each)) ?? [];
    const { contents } = await putTogether([startEvent, ...signed, ...endEvents]);
    expect(contents['0 signature']).toBe('sk-te[secret]');
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

describe('the key in Chat Completions and Responses', () => {
  const chatStream = { ...chatCase.question, stream: true };
  const responsesStream = { ...responsesCase.question, stream: true };
  const calls = (...given: object[]) => chatDelta({ tool_calls: given });
  const first = /^(?:sk-test)?\[secret\]$/;
  const half = [modelKey.slice(0, 20), modelKey.slice(20)];

  it.each([
    { member: 'id', call: (id: string) => ({ index: 0, id }) },
    { member: 'type', call: (type: string) => ({ index: 0, type }) },
    { member: 'name', call: (name: string) => ({ index: 0, function: { name } }) },
    { member: 'name', call: (name: string) => ({ index: 0, custom: { name } }) },
  ])('does not come back in pieces of the $member of a called tool', async ({ member, call }) => {
    await session.start({ dialect: 'chat_completions' });
    const joined = async (pieces: readonly string[]) => {
      const sent = [...pieces.map((piece) => calls(call(piece))), chatEnd, '[DONE]'];
      session.respond = (_asked, response) => sendStream(response, writeChat(sent));
      const { text } = await session.ask(chatStream);
      const shown = JSON.stringify(dataIn(text).map(({ choices }) => choices));
      return [...shown.matchAll(new RegExp(`"${member}":"([^"]*)"`, 'g'))].map(([, piece]) => piece).join('');
    };
    for (const size of [1, 7, 20, 100]) {
      expect(await joined(modelKey.match(new RegExp(`.{1,${size}}`, 'g')) ?? [])).toMatch(first);
    }
    // Some endpoints repeat it, and none of it is held back.
    expect(await joined(['list_tasks', 'list_tasks'])).toBe('list_taskslist_tasks');
  });

  it('does not come back in the role, or in what names the answer', async () => {
    await session.start({ dialect: 'chat_completions' });
    const pieces = modelKey.match(/.{1,5}/g) ?? [];
    const sent = pieces.map((piece) => ({ ...chatDelta({ role: piece }), id: piece, model: piece }));
    session.respond = (_asked, response) => sendStream(response, writeChat([...sent, chatEnd, '[DONE]']));
    const { text } = await session.ask(chatStream);
    expect(new Set(dataIn(text).map(({ id, model }) => `${id} ${model}`))).toEqual(new Set(['sk-te sk-te']));
    expect([...text.matchAll(/"role":"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe('sk-te[secret]');
  });

  it('does not come back over several places of one event, or of a whole answer', async () => {
    await session.start({ dialect: 'chat_completions' });
    const called = half.map((args, index) => ({ index, function: { arguments: args } }));
    session.respond = (_asked, response) =>
      sendStream(response, writeChat([calls(...called), chatEnd, '[DONE]']));
    const streamed = await session.ask(chatStream);
    expect(JSON.stringify(dataIn(streamed.text).map(({ choices }) => choices))).toContain('[secret]');
    expect(streamed.text).not.toContain(modelKey.slice(0, 20));
    const choices = half.map((content, index) => ({ index, message: { role: 'assistant', content } }));
    session.respond = (_asked, response) => sendJson(response, { ...chatCase.whole, choices });
    const whole = await session.ask(chatCase.question);
    expect(whole.status).toBe(502);
    for (const { text } of [streamed, whole]) {
      expect(text).not.toContain(modelKey.slice(20));
    }
    // Several texts that have nothing of it are an answer.
    const plain = ['a sk-test', '-1 b'].map((content) => ({ message: { content } }));
    session.respond = (_asked, response) => sendJson(response, { ...chatCase.whole, choices: plain });
    expect((await session.ask(chatCase.question)).status).toBe(200);
  });

  it('does not come back over the texts, tokens or fillings of Responses', async () => {
    await session.start({ dialect: 'responses' });
    const content = half.map((text) => ({ type: 'output_text', text }));
    session.respond = (_asked, response) =>
      sendJson(response, { ...responsesCase.whole, output: [{ type: 'message', content }] });
    expect((await session.ask(responsesCase.question)).status).toBe(502);
    const tokens = half.map((token) => responseDelta('a', { logprobs: [{ token }], obfuscation: token }));
    const noText = half.map((text) => ({ ...responseDelta(''), delta: { text } }));
    session.respond = (_asked, response) =>
      sendStream(response, writeResponses([...responseStart, ...tokens, ...noText, ...responseEnd]));
    const { text } = await session.ask(responsesStream);
    expect(responsesCase.joined(text)).toBe('aa');
    expect(responsesCase.isWhole(text)).toBe(true);
    expect(text).not.toContain(modelKey.slice(20));
  });
});

describe.each([chatCase, responsesCase])('a failure of an endpoint of $dialect', (each) => {
  it('does not tell the agent the key, or its ends', async () => {
    await session.start({ dialect: each.dialect });
    const quotes = [
      `${modelKey.slice(0, 5)}***********oint`,
      `...${modelKey.slice(-3)}`,
      'x-point',
      modelKey,
    ];
    const message = `Incorrect key: ${quotes.join(', ')}. Look for it...`;
    for (const status of [400, 401, 403, 429, 500]) {
      session.respond = (_asked, response) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message } }));
      const { text } = await session.ask(each.question);
      expect(text).toContain('Incorrect key: [secret] [secret] [secret] [secret]');
      expect(text).toContain('Look for it...');
    }
    session.respond = (_asked, response) => sendStream(response, each.failed(message));
    const { text } = await session.ask({ ...each.question, stream: true });
    expect(text).toContain('Incorrect key: [secret] [secret] [secret] [secret]');
    const answers = [
      { status: 307, headers: { location: `https://${modelKey}.example/` } },
      { status: 200, headers: { 'content-type': `text/${modelKey}` } },
    ];
    for (const { status, headers } of answers) {
      session.respond = (_asked, response) => response.writeHead(status, headers).end('{}');
      const failed = await session.ask(each.question);
      expect(failed.status).toBe(502);
      expect(failed.text).toContain('[secret]');
      expect(failed.text).not.toContain(modelKey);
    }
  });
});
