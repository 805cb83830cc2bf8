/** What an agent gets of a model by Chat Completions and Responses, and what each request is counted as. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import { begin, event, ModelSession, message, modelKey, startEvent } from './model-session.ts';
import {
  argumentsIn,
  chatCase,
  chatDelta,
  chatEnd,
  chatUsageChunk,
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

const took = async () => {
  await eventually(() => expect(session.usage).toHaveLength(1));
  return session.usage[0]?.usage;
};
const counted = {
  input_tokens: 15,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 4,
  output_tokens: 5,
  outcome: 'completed',
};

describe.each([chatCase, responsesCase])('$dialect', (each) => {
  const { dialect, question, maximum } = each;
  const streamed = { ...question, stream: true };

  it('has a whole answer, asked for below the base URL, with a maximum where the client named none', async () => {
    await session.start({ dialect, basePath: '/base/v1/' });
    session.respond = (_asked, response) => sendJson(response, each.whole);
    const answer = await session.ask(question, {
      headers: { authorization: 'Bearer agent', 'openai-organization': 'acme', 'x-forwarded-for': 'a' },
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-request-id': 'req_1' } });
    expect(JSON.parse(answer.text)).toEqual(each.whole);
    const [asked] = session.asked;
    expect(asked).toMatchObject({ method: 'POST', url: `/base/v1${each.below}` });
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({ [maximum]: 4096 });
    expect(asked?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${modelKey}`,
      connection: expect.any(String),
      'content-length': String(asked?.body.length),
      'content-type': 'application/json',
      host: session.host,
      'user-agent': 'gatepost',
    });
    expect(session.questions).toEqual([{ id: session.usage[0]?.id, maxTokens: 4096 }]);
    expect(await took()).toEqual(counted);
  });

  it('sets aside what the client named, and no more than a stream asks the endpoint for', async () => {
    await session.start({ dialect });
    session.respond = (_asked, response) => sendStream(response, each.stream(['h', 'i']));
    const answer = await session.ask({ ...streamed, [maximum]: 77 });
    expect(each.joined(answer.text)).toBe('hi');
    expect(each.isWhole(answer.text)).toBe(true);
    expect(session.questions[0]?.maxTokens).toBe(77);
    expect(JSON.parse(session.asked[0]?.body ?? '')).toMatchObject({ [maximum]: 77, stream: true });
    expect(await took()).toEqual(counted);
  });

  it('does not bring the key back in pieces, and leaves what only begins like it', async () => {
    await session.start({ dialect });
    for (const size of [1, 7, modelKey.length - 1]) {
      const pieces = `a ${modelKey} sk-te`.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      session.respond = (_asked, response) => sendStream(response, each.stream(pieces));
      const { text } = await session.ask(streamed);
      expect(each.joined(text)).toBe('a [secret] sk-te');
      expect(each.isWhole(text)).toBe(true);
    }
    session.respond = (_asked, response) => sendStream(response, each.stream(['\ud83d', '\udd11']));
    expect(each.joined((await session.ask(streamed)).text)).toBe('🔑');
    session.respond = (_asked, response) => sendJson(response, { ...each.whole, note: modelKey });
    expect((await session.ask(question)).text).not.toContain(modelKey);
  });

  it('ends an answer that is cut, or fails, with an error of its own, and counts what may be written', async () => {
    await session.start({ dialect });
    session.respond = (_asked, response) => {
      begin(response).write(each.cut(['x'.repeat(600)]), () => response.destroy());
    };
    const { text } = await session.ask(streamed);
    expect(each.joined(text)).toBe('x'.repeat(600));
    expect(each.errorIn(text)).toContain('The model gave no answer');
    expect(each.isWhole(text)).toBe(false);
    const usage = await took();
    expect(usage).toMatchObject({ outcome: 'failed' });
    expect(usage?.output_tokens).toBeGreaterThanOrEqual(200);
    expect(usage?.output_tokens).toBeLessThanOrEqual(4096);
    expect(usage?.input_tokens).toBeGreaterThan(0);
    session.respond = (_asked, response) =>
      sendStream(response, each.cut(['a']) + each.failed(`busy ${modelKey}`));
    expect(each.errorIn((await session.ask(streamed)).text)).toBe('busy [secret]');
  });

  it('takes no answer in another dialect', async () => {
    await session.start({ dialect });
    const other = each === chatCase ? responsesCase : chatCase;
    for (const whole of [other.whole, message, [], 'text']) {
      session.respond = (_asked, response) => sendJson(response, Object(whole));
      expect((await session.ask(question)).status).toBe(502);
    }
    for (const text of [other.stream(['a']), event(startEvent), 'data: no json\n\n']) {
      session.respond = (_asked, response) => sendStream(response, text);
      expect(each.errorIn((await session.ask(streamed)).text)).toContain('none of a model');
    }
    session.respond = (_asked, response) => sendJson(response, each.whole);
    expect((await session.ask(streamed)).status).toBe(502);
  });

  it('is ended where a stream has no end, and follows no redirect', async () => {
    await session.start({ dialect, limits: { streamBytes: 20_000 } });
    session.respond = (_asked, response) => {
      begin(response).write(each.cut([]));
      const more = () => {
        if (!response.destroyed) {
          response.write(each.cut(['x'.repeat(1000)]), more);
        }
      };
      more();
    };
    expect(each.errorIn((await session.ask(streamed)).text)).toContain('more than 20000 bytes');
    // Also of what is no event.
    session.respond = (_asked, response) => begin(response).write(`: ${'x'.repeat(998)}\n`.repeat(30));
    expect(each.errorIn((await session.ask(streamed)).text)).toContain('more than 20000 bytes');
    session.respond = (_asked, response) =>
      response.writeHead(307, { location: `http://${session.host}/other` }).end();
    const before = session.asked.length;
    expect((await session.ask(question)).status).toBe(502);
    expect(session.asked).toHaveLength(before + 1);
  });

  it('counts by itself what the endpoint does not say, or says as no number', async () => {
    await session.start({ dialect });
    const none = {
      prompt_tokens: 0,
      completion_tokens: 0,
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
    };
    for (const usage of [
      ...[undefined, null, none],
      { [maximum]: 1 },
      { prompt_tokens: -1, output_tokens: '5' },
    ]) {
      session.respond = (_asked, response) => sendJson(response, { ...each.whole, usage });
      await session.ask(question);
    }
    await eventually(() => expect(session.usage).toHaveLength(5));
    for (const { usage } of session.usage) {
      expect(usage).toMatchObject({ outcome: 'completed' });
      expect(usage.input_tokens).toBeGreaterThan(0);
      expect(usage.output_tokens).toBeGreaterThan(0);
    }
  });

  it.each([
    [400, 400],
    [401, 400],
    [402, 402],
    [404, 404],
    [429, 429],
    [500, 500],
    [529, 529],
  ])('says an error %i of the endpoint as %i in its own form, which costs nothing', async (said, status) => {
    await session.start({ dialect });
    session.respond = (_asked, response) =>
      response
        .writeHead(said, {
          'content-type': 'application/json',
          'retry-after': inAMinute(),
          'x-request-id': 'r',
        })
        .end(JSON.stringify({ error: { message: `about ${modelKey}`, type: 'x', code: 'y' } }));
    const answer = await session.ask(streamed);
    expect(answer).toMatchObject({ status, headers: { 'x-request-id': 'r' } });
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        message: expect.stringContaining('about [secret]'),
        type: expect.any(String),
        param: null,
        code: expect.any(String),
      },
    });
    const wait = answer.headers['retry-after'];
    expect([429, 500, 529].includes(said) ? Number(wait) > 0 && Number(wait) <= 60 : wait).toBe(
      [429, 500, 529].includes(said) ? true : undefined,
    );
    expect(await took()).toMatchObject({ outcome: 'failed', input_tokens: 0, output_tokens: 0 });
  });

  it('refuses in its own form what exceeds the budget', async () => {
    await session.start({ dialect });
    session.onQuestion = () => ({ decision: 'refused', code: 'model_budget_reached', message: 'used up' });
    const answer = await session.ask(question);
    expect(answer).toMatchObject({ status: 400, headers: { 'x-should-retry': 'false' } });
    expect(JSON.parse(answer.text)).toMatchObject({ error: { message: 'used up' } });
    expect(session.asked).toEqual([]);
  });
});

describe('a maximum by either name', () => {
  it.each(['max_tokens', 'max_completion_tokens'] as const)(
    'is sent as %s alone, which the endpoint keeps to',
    async (maximum_field) => {
      await session.start({ dialect: 'chat_completions', maximum_field });
      session.respond = (_asked, response) => sendJson(response, chatCase.whole);
      const given = [
        { max_tokens: 70 },
        { max_completion_tokens: 70 },
        { max_tokens: 7, max_completion_tokens: 70 },
      ];
      for (const maximum of given) {
        await session.ask({ ...chatCase.question, ...maximum });
      }
      await session.ask(chatCase.question);
      expect(session.asked.map(({ body }) => JSON.parse(body))).toEqual(
        [70, 70, 70, 4096].map((maximum) => ({ ...chatCase.question, [maximum_field]: maximum })),
      );
      expect(session.questions.map(({ maxTokens }) => maxTokens)).toEqual([70, 70, 70, 4096]);
    },
  );
});

const inAMinute = () => new Date(Date.now() + 60_000).toUTCString();

it('shows no tokens of a text that the client did not ask for', async () => {
  await session.start({ dialect: 'chat_completions' });
  const inTokens = (token: string) => {
    const [choice] = chatDelta({ content: token }).choices;
    return { ...chatEnd, choices: [{ ...choice, logprobs: { content: [{ token, logprob: 0 }] } }] };
  };
  const pieces = [modelKey.slice(0, 9), modelKey.slice(9)].map(inTokens);
  session.respond = (_asked, response) => sendStream(response, writeChat([...pieces, chatEnd, '[DONE]']));
  const { text } = await session.ask({ ...chatCase.question, stream: true });
  expect(chatCase.joined(text)).toBe('[secret]');
  expect(text).not.toContain('logprob');
});

it('takes chunks without choices, which say that the stream goes on, or what it took', async () => {
  await session.start({ dialect: 'chat_completions' });
  const { choices: _, ...goesOn } = chatDelta({});
  const { choices: __, object: ___, ...told } = chatUsageChunk;
  const chunks = [goesOn, chatDelta({ content: 'hi' }), { ...goesOn, choices: null }, chatEnd, told];
  session.respond = (_asked, response) => sendStream(response, writeChat([...chunks, '[DONE]']));
  const { text } = await session.ask({
    ...chatCase.question,
    ...{ stream: true, stream_options: { include_usage: true } },
  });
  expect(chatCase.joined(text)).toBe('hi');
  expect(dataIn(text).at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 19 } });
  expect(chatCase.isWhole(text)).toBe(true);
  expect(await took()).toEqual(counted);
});

describe('parallel tools', () => {
  const args = ['{"a":"', modelKey.slice(0, 9), modelKey.slice(9), '"}'];

  it('of Chat Completions keep their own arguments, without the key', async () => {
    await session.start({ dialect: 'chat_completions' });
    const starts = [0, 1].map((index) => ({
      ...{ index, id: `call_${index}`, type: 'function' },
      function: { name: 'look', arguments: '' },
    }));
    const pieces = args.flatMap((piece) =>
      [0, 1].map((index) => chatDelta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    );
    session.respond = (_asked, response) =>
      sendStream(response, writeChat([chatDelta({ tool_calls: starts }), ...pieces, chatEnd, '[DONE]']));
    const { text } = await session.ask({ ...chatCase.question, stream: true });
    for (const index of [0, 1]) {
      expect(argumentsIn(text, index)).toBe('{"a":"[secret]"}');
    }
    // The client did not ask for what it took, and its endpoint did not say it.
    expect(dataIn(text).every(({ usage }) => usage === undefined)).toBe(true);
  });

  it('of Responses keep theirs, and each event its number', async () => {
    await session.start({ dialect: 'responses' });
    const type = 'response.function_call_arguments.delta';
    const pieces = args.flatMap((piece) =>
      [0, 1].map((output_index) =>
        responseDelta(piece, { type, output_index, item_id: `fc_${output_index}` }),
      ),
    );
    session.respond = (_asked, response) =>
      sendStream(response, writeResponses([...responseStart, ...pieces, ...responseEnd]));
    const { text } = await session.ask({ ...responsesCase.question, stream: true });
    const events = dataIn(text);
    for (const index of [0, 1]) {
      const own = events.filter((each) => each['type'] === type && each['output_index'] === index);
      expect(own.map(({ delta }) => delta).join('')).toBe('{"a":"[secret]"}');
    }
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, at) => at));
  });
});
