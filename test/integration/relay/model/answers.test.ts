/** What an agent gets of a model: whole answers, streams, errors and faults, and what each is counted as. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRequestAnswer, ModelUsageReport } from '../../../../contract/model-access.ts';
import { PlatformUnreachable } from '../../../../sidecar/platform-api/request.ts';
import { eventually } from '../../../support/eventually.ts';
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
  startEvent,
} from './model-session.ts';

let session: ModelSession;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(() => session.stop());

const streamed = { ...question, stream: true };
const nothing: ModelUsageReport = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
  outcome: 'failed',
};
const errorIn = (text: string) => JSON.parse(text).error;
const took = async (): Promise<ModelUsageReport | undefined> => {
  await eventually(() => expect(session.usage).toHaveLength(1));
  return session.usage[0]?.usage;
};

describe('a whole answer', () => {
  it('comes back as it is, and its tokens are told for the request that was asked for', async () => {
    await session.start({ basePath: '/gateway/' });
    const answer = await session.ask(question);
    expect(answer).toMatchObject({ status: 200, headers: { 'request-id': 'req_1' } });
    expect(JSON.parse(answer.text)).toEqual(message);
    expect(await took()).toEqual({ ...message.usage, outcome: 'completed' });
    expect(session.questions).toEqual([{ id: session.usage[0]?.id, maxTokens: 1000 }]);
  });

  it('is asked for with the platform’s own headers, the key, and previews that are allowed', async () => {
    await session.start({ basePath: '/gateway' });
    await session.ask(question, {
      path: '/v1/messages?beta=true',
      headers: {
        authorization: 'Bearer agent',
        'anthropic-beta':
          'claude-code-20250219, mcp-client-2025-04-04,files-api-2025-04-14, context-1m-2025-08-07',
        'anthropic-version': '1999-01-01',
        'anthropic-dangerous-direct-browser-access': 'true',
        cookie: 'a=b',
        'x-forwarded-for': '10.0.0.1',
      },
    });
    const [asked] = session.asked;
    expect(asked).toMatchObject({ method: 'POST', url: '/gateway/v1/messages?beta=true' });
    expect(asked?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'anthropic-beta': 'claude-code-20250219,context-1m-2025-08-07',
      'anthropic-version': '2023-06-01',
      connection: expect.any(String),
      'content-length': String(asked?.body.length),
      'content-type': 'application/json',
      host: session.host,
      'user-agent': 'gatepost',
      'x-api-key': modelKey,
    });
  });

  it('that is no message of a model is none', async () => {
    await session.start();
    for (const body of ['"text"', '{"type":"list"}', '<html>']) {
      session.respond = (_asked, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      expect(await session.ask(question)).toMatchObject({ status: 502 });
    }
    session.respond = (_asked, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    expect(errorIn((await session.ask(question)).text).message).toContain('text/html');
  });
});

describe('a streamed answer', () => {
  it('arrives event by event while the endpoint still writes', async () => {
    await session.start();
    let goOn = () => {};
    const seen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    session.respond = async (_asked, response) => {
      begin(response).write(event(startEvent));
      response.write(event(deltaEvent('one')));
      await seen;
      response.end([deltaEvent('two'), ...endEvents].map(event).join(''));
    };
    const answer = session.ask(streamed);
    await eventually(() => expect(session.asked).toHaveLength(1));
    goOn();
    const { status, headers, text } = await answer;
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/event-stream' });
    expect(eventsIn(text)).toEqual([startEvent, deltaEvent('one'), deltaEvent('two'), ...endEvents]);
    expect(await took()).toEqual({ ...message.usage, output_tokens: 77, outcome: 'completed' });
  });

  it('with 50 tools at once passes each of them', async () => {
    await session.start();
    const starts = Array.from({ length: 50 }, (_, index) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'look', input: {} },
    }));
    session.respond = (_asked, response) =>
      begin(response).end([startEvent, ...starts, ...endEvents].map(event).join(''));
    const { text } = await session.ask(streamed);
    expect(eventsIn(text).filter(({ type }) => type === 'content_block_start')).toEqual(starts);
    const results = starts.map(({ content_block: { id } }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: 'found' }],
    }));
    const uses = starts.map(({ content_block }) => content_block);
    const messages = [
      ...question.messages,
      { role: 'assistant', content: uses },
      { role: 'user', content: results },
    ];
    await session.ask({ ...streamed, messages });
    expect(JSON.parse(session.asked[1]?.body ?? '')).toEqual({ ...streamed, messages });
  });

  it('that is cut ends with an error that the client sees, and counts what may have been written', async () => {
    await session.start();
    session.respond = (_asked, response) => {
      begin(response).write(event(startEvent) + event(deltaEvent('x'.repeat(600))), () => response.destroy());
    };
    const { text } = await session.ask(streamed);
    expect(eventsIn(text).map(({ type }) => type)).toEqual(['message_start', 'content_block_delta', 'error']);
    const { input_tokens, output_tokens, outcome } = (await took()) ?? {};
    expect({ input_tokens, outcome }).toEqual({ input_tokens: 12, outcome: 'failed' });
    expect(output_tokens).toBeGreaterThanOrEqual(200);
    expect(output_tokens).toBeLessThanOrEqual(question.max_tokens);
  });

  it('that ends without its last event is cut as well', async () => {
    await session.start();
    session.respond = (_asked, response) => begin(response).end(event(startEvent));
    expect(eventsIn((await session.ask(streamed)).text).at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining('ended its answer before its end') },
    });
  });

  it('whose agent leaves is ended at the endpoint, too, and counted', async () => {
    await session.start();
    let isLeft = false;
    session.respond = async (_asked, response) => {
      begin(response).write(event(startEvent));
      await once(response, 'close');
      isLeft = true;
    };
    const text = JSON.stringify(streamed);
    await session.raw(
      `POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      300,
    );
    await eventually(() => expect(isLeft).toBe(true));
    expect(await took()).toMatchObject({ outcome: 'failed', input_tokens: 12 });
  });

  it('that is open when the program is told to end is counted', async () => {
    await session.start();
    session.respond = (_asked, response) => begin(response).write(event(startEvent));
    const answer = session.ask(streamed);
    await eventually(() => expect(session.asked).toHaveLength(1));
    await session.stopProgram();
    await answer;
    expect(await took()).toMatchObject({ outcome: 'failed' });
  });

  it('with an error in it ends with that error', async () => {
    await session.start();
    const error = { type: 'error', error: { type: 'overloaded_error', message: `busy ${modelKey}` } };
    session.respond = (_asked, response) => begin(response).end(event(startEvent) + event(error));
    const { text } = await session.ask(streamed);
    expect(eventsIn(text).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'busy [secret]' },
    });
    expect(await took()).toMatchObject({ outcome: 'failed' });
  });

  it('of events that are none of a model, or of one that is too large, is refused', async () => {
    await session.start({ limits: { eventBytes: 1000 } });
    for (const bad of [
      'data: no json\n\n',
      'data: {"type":"A B"}\n\n',
      event(deltaEvent('x'.repeat(2000))),
    ]) {
      session.respond = (_asked, response) => begin(response).end(event(startEvent) + bad);
      expect(eventsIn((await session.ask(streamed)).text).map(({ type }) => type)).toEqual([
        'message_start',
        'error',
      ]);
    }
  });
});

describe('an endpoint in trouble', () => {
  it.each([
    [400, 400, 'invalid_request_error', null],
    [401, 400, 'api_error', 'false'],
    [402, 402, 'billing_error', 'false'],
    [403, 400, 'api_error', 'false'],
    [404, 404, 'not_found_error', null],
    [413, 413, 'request_too_large', null],
    [429, 429, 'rate_limit_error', null],
    [500, 500, 'api_error', null],
    [503, 503, 'overloaded_error', null],
    [529, 529, 'overloaded_error', null],
    [418, 502, 'api_error', null],
  ])('that answers %i makes it %i for the agent, which costs nothing', async (said, status, type, retry) => {
    await session.start();
    session.respond = (_asked, response) =>
      response
        .writeHead(said, { 'content-type': 'application/json', 'retry-after': '7', 'x-organization': 'acme' })
        .end(JSON.stringify({ type: 'error', error: { type: 'x', message: `about ${modelKey}` } }));
    const answer = await session.ask(streamed);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({
      type: 'error',
      error: { type, message: expect.stringContaining('about [secret]') },
    });
    expect(answer.headers['x-should-retry'] ?? null).toBe(retry);
    expect(answer.headers['retry-after']).toBe([429, 500, 503, 529, 418].includes(said) ? '7' : undefined);
    expect(answer.headers).not.toHaveProperty('x-organization');
    expect(await took()).toMatchObject({ outcome: 'failed', input_tokens: 0, output_tokens: 0 });
  });

  it('is not followed to anywhere', async () => {
    await session.start();
    session.respond = (_asked, response) =>
      response.writeHead(307, { location: `http://${session.host}/v1/other` }).end();
    const answer = await session.ask(question);
    expect(answer.status).toBe(502);
    expect(errorIn(answer.text).message).toContain('redirects to');
    expect(session.asked).toHaveLength(1);
  });

  it('that is slow to begin, or silent in its answer, is given up', async () => {
    await session.start({ limits: { silenceMs: 1000, wholeMs: 1000 } });
    session.respond = () => undefined;
    expect(await session.ask(question)).toMatchObject({ status: 504 });
    expect(await session.ask(streamed)).toMatchObject({ status: 504 });
    session.respond = (_asked, response) => begin(response).write(event(startEvent));
    expect(eventsIn((await session.ask(streamed)).text).at(-1)).toMatchObject({ type: 'error' });
    await eventually(() => expect(session.usage).toHaveLength(3));
    // It had the whole request, and may have worked on it.
    expect(session.usage.every(({ usage }) => usage.input_tokens > 0 && usage.output_tokens > 0)).toBe(true);
  });

  it('that hangs up may be asked again', async () => {
    await session.start();
    session.respond = (_asked, response) => response.destroy();
    const answer = await session.ask(question);
    expect(answer.status).toBe(502);
    expect(answer.headers).not.toHaveProperty('x-should-retry');
  });

  it('with a private address that nobody listed is not asked', async () => {
    await session.start({ isListed: false });
    const answer = await session.ask(question);
    expect(answer.status).toBe(502);
    expect(errorIn(answer.text).message).toContain('PRIVATE_MCP_HOSTS');
    expect(session.asked).toEqual([]);
    expect(await took()).toMatchObject({ outcome: 'failed', input_tokens: 0 });
  });
});

describe('the budget', () => {
  it('that is reached refuses, with the platform’s words, and nothing is sent', async () => {
    await session.start();
    session.onQuestion = () => ({
      decision: 'refused',
      code: 'model_budget_reached',
      message: 'The session has used its tokens',
    });
    const answer = await session.ask(question);
    expect(answer).toMatchObject({ status: 400, headers: { 'x-should-retry': 'false' } });
    expect(errorIn(answer.text)).toEqual({
      type: 'invalid_request_error',
      message: 'The session has used its tokens',
    });
    expect(session.asked).toEqual([]);
    expect(session.usage).toEqual([]);
  });

  it('that nobody can tell at the moment is a no, which clients try again', async () => {
    await session.start({ limits: { budgetMs: 300 } });
    const late = () => new Promise<never>(() => undefined);
    const unreachable = () => Promise.reject(new PlatformUnreachable('no answer'));
    for (const onQuestion of [late, unreachable]) {
      session.onQuestion = onQuestion;
      const answer = await session.ask(question);
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
      expect(errorIn(answer.text).type).toBe('overloaded_error');
    }
    expect(session.asked).toEqual([]);
    // It may have set something aside and not said so in time.
    await eventually(() => expect(session.usage).toHaveLength(2));
    expect(session.usage.map(({ id }) => id).sort()).toEqual(session.questions.map(({ id }) => id).sort());
    expect(session.usage.map(({ usage }) => usage)).toEqual([nothing, nothing]);
  });

  it('keeps nothing set aside for an agent that left before the platform said yes', async () => {
    await session.start();
    let allow = (_answer: ModelRequestAnswer): void => undefined;
    session.onQuestion = () =>
      new Promise((resolve) => {
        allow = resolve;
      });
    const text = JSON.stringify(question);
    const head = 'POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ';
    await session.raw(`${head}${text.length}\r\n\r\n${text}`, 500);
    await eventually(() => expect(session.questions).toHaveLength(1));
    // The program may notice that it left; nothing else happens then.
    await sleep(300);
    expect(session.usage).toEqual([]);
    allow({ decision: 'allowed' });
    await eventually(() => expect(session.usage).toHaveLength(1));
    expect(session.usage[0]).toEqual({ id: session.questions[0]?.id, usage: nothing });
    expect(session.asked).toEqual([]);
  });
});
