/**
 * An agent that tries to use its way to a model for anything else, by Chat Completions and Responses. What
 * goes before any dialect is in hostile-agent.test.ts.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelSession, modelKey } from './model-session.ts';
import { chatCase, responsesCase, sendJson } from './openai-dialects.ts';

let session: ModelSession;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(() => session.stop());

const chat = chatCase.question;
const responses = responsesCase.question;
const user = (...content: object[]) => ({ ...chat, messages: [{ role: 'user', content }] });
const items = (...input: object[]) => ({ ...responses, input });
const parts = (...content: object[]) => items({ role: 'user', content });
const url = 'https://internal.example/secret';
const elsewhere = { $ref: 'https://far.example/schema' };

const ofChat: [string, object, string][] = [
  ['a tool of the endpoint', { ...chat, tools: [{ type: 'web_search' }] }, 'tools.0.type'],
  ['a search of the endpoint', { ...chat, web_search_options: {} }, 'web_search_options'],
  ['a search by the name of the model', { ...chat, model: 'acme/large:online' }, 'model'],
  ['a search by a name with something behind', { ...chat, model: 'acme/large:online:free' }, 'model'],
  ['a search by a name with a blank behind', { ...chat, model: 'acme/large:online ' }, 'model'],
  [
    'an image by address',
    user({ type: 'image_url', image_url: { url } }),
    'messages.0.content.0.image_url.url',
  ],
  ['a file that is kept', user({ type: 'file', file: { file_id: 'file_1' } }), 'messages.0.content.0.file'],
  [
    'a file by address',
    user({ type: 'file', file: { file_data: url } }),
    'messages.0.content.0.file.file_data',
  ],
  [
    'sound by address',
    user({ type: 'input_audio', input_audio: { data: url, format: 'wav' } }),
    'messages.0.content.0.input_audio.data',
  ],
  ['an answer that is kept', { ...chat, store: true }, 'store'],
  [
    'sound that is kept',
    { ...chat, messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    'messages.0.audio',
  ],
  ['answers that no maximum counts', { ...chat, n: 2 }, 'n'],
  ['a text in tokens', { ...chat, logprobs: true }, 'logprobs'],
  ['likely tokens', { ...chat, top_logprobs: 2 }, 'top_logprobs'],
  ['functions by an earlier name', { ...chat, functions: [{ name: 'look' }] }, 'functions'],
  ['a dearer tier', { ...chat, service_tier: 'priority' }, 'service_tier'],
  [
    'a schema elsewhere',
    { ...chat, tools: [{ type: 'function', function: { name: 'look', parameters: elsewhere } }] },
    'tools.0.function.parameters',
  ],
  [
    'a format elsewhere',
    { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'a', schema: elsewhere } } },
    'response_format.json_schema.schema',
  ],
  ['tokens that are none', { ...chat, max_tokens: -1 }, 'max_tokens'],
  ['0, which some take for no maximum', { ...chat, max_tokens: 0 }, 'max_tokens'],
  [
    'the same by its later name',
    { ...chat, max_tokens: 5, max_completion_tokens: 0 },
    'max_completion_tokens',
  ],
  ['a request by Responses', responses, 'messages'],
];
const serverTools = [
  'web_search',
  'file_search',
  'code_interpreter',
  'computer_use_preview',
  'image_generation',
];
const ofResponses: [string, object, string][] = [
  ...[...serverTools, 'mcp', 'local_shell'].map((type): [string, object, string] => [
    `the tool ${type}`,
    { ...responses, tools: [{ type: 'function', name: 'look', parameters: {} }, { type }] },
    'tools.1.type',
  ]),
  [
    'a tool of the endpoint in a namespace',
    { ...responses, tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'mcp' }] }] },
    'tools.0.tools.0.type',
  ],
  [
    'a tool of the endpoint among additional ones',
    items({ type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }),
    'input',
  ],
  ['a choice of such a tool', { ...responses, tool_choice: { type: 'web_search' } }, 'tool_choice'],
  ['an answer that is kept', { ...responses, store: true }, 'store'],
  ['a search by the name of the model', { ...responses, model: 'acme/large:Online' }, 'model'],
  ['an earlier answer', { ...responses, previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['a conversation', { ...responses, conversation: { id: 'conv_1' } }, 'conversation'],
  ['a prompt that is kept', { ...responses, prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['an answer in the background', { ...responses, background: true }, 'background'],
  ['an item that is kept', items({ type: 'item_reference', id: 'msg_1' }), 'input'],
  ['a call of a tool of the endpoint', items({ type: 'web_search_call', id: 'ws_1' }), 'input'],
  ['an image by address', parts({ type: 'input_image', image_url: url }), 'input'],
  ['an image that is kept', parts({ type: 'input_image', file_id: 'file_1' }), 'input'],
  ['a file by address', parts({ type: 'input_file', file_url: url }), 'input'],
  [
    'an image by address in the result of a tool',
    items({
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_image', image_url: url }],
    }),
    'input',
  ],
  ['0, which some take for no maximum', { ...responses, max_output_tokens: 0 }, 'max_output_tokens'],
  ['results of searches', { ...responses, include: ['file_search_call.results'] }, 'include.0'],
  [
    'a format elsewhere',
    { ...responses, text: { format: { type: 'json_schema', name: 'a', schema: elsewhere } } },
    'text.format.schema',
  ],
  ['a request by Chat Completions', chat, 'input'],
];

describe('what would let the endpoint reach, run or keep something', () => {
  async function isRefused(each: typeof chatCase, body: object, path: string) {
    await session.start({ dialect: each.dialect });
    const answer = await session.ask(body);
    expect(answer.status).toBe(400);
    const { error } = JSON.parse(answer.text);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request' });
    expect([error.message, error.message.startsWith(path)]).toEqual([error.message, true]);
    expect(session.asked).toEqual([]);
    expect(session.questions).toEqual([]);
  }
  it.each(ofChat)('%s is refused by name in Chat Completions', (_what, body, path) =>
    isRefused(chatCase, body, path),
  );
  it.each(ofResponses)('%s is refused by name in Responses', (_what, body, path) =>
    isRefused(responsesCase, body, path),
  );

  it('is not sound within the request', async () => {
    await session.start({ dialect: 'chat_completions' });
    session.respond = (_asked, response) => sendJson(response, chatCase.whole);
    for (const data of ['UklGRg+/AA==', 'data:audio/wav;base64,UklGRg+/AA==']) {
      const body = user({ type: 'input_audio', input_audio: { data, format: 'wav' } });
      expect((await session.ask(body)).status).toBe(200);
      expect(session.asked.at(-1)?.body).toContain(`"data":"${data}"`);
    }
  });

  it('is left out where it is no field that the platform knows', async () => {
    await session.start({ dialect: 'chat_completions' });
    session.respond = (_asked, response) => sendJson(response, chatCase.whole);
    const known = {
      model: 'a',
      messages: [{ role: 'user', content: 'a' }],
      max_tokens: 5,
      store: false,
    };
    await session.ask({
      ...known,
      models: ['other'],
      plugins: [{ id: 'web' }],
      metadata: { a: 'b' },
      user: 'ada',
      provider: { order: ['x'] },
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'a', cache: 'forever' }],
    });
    expect(JSON.parse(session.asked[0]?.body ?? '')).toEqual(known);
  });

  it('is not found by ids of what the endpoint keeps, which are left out', async () => {
    await session.start({ dialect: 'responses' });
    session.respond = (_asked, response) => sendJson(response, responsesCase.whole);
    const whole = { type: 'reasoning', summary: [], encrypted_content: 'sealed' };
    await session.ask({
      ...items(
        { type: 'message', id: 'msg_1', role: 'user', content: 'a' },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { ...whole, id: 'rs_2' },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' },
      ),
      client_metadata: { installation: 'x' },
      metadata: { a: 'b' },
      prompt_cache_retention: '24h',
    });
    expect(JSON.parse(session.asked[0]?.body ?? '')).toEqual({
      model: 'test-model',
      max_output_tokens: 4096,
      store: false,
      input: [
        { type: 'message', role: 'user', content: 'a' },
        { type: 'reasoning', summary: [] },
        { ...whole, id: 'rs_2' },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
      ],
    });
  });
});

describe.each([chatCase, responsesCase])('the socket of $dialect for anything else', (each) => {
  it('answers one method at one path, and no model that is not the agent’s', async () => {
    await session.start({ dialect: each.dialect, models: ['other'] });
    const paths = [
      '/',
      '/v1/messages',
      '/v1/models',
      '/v1/files',
      each.below,
      `${each.path}/`,
      `${each.path}?a=b`,
    ];
    const others = [chatCase.path, responsesCase.path].filter((path) => path !== each.path);
    for (const path of [...paths, ...others, `${each.path}/compact`]) {
      expect([path, (await session.ask(each.question, { path })).status]).toEqual([path, 404]);
    }
    expect((await session.ask('', { method: 'GET' })).status).toBe(405);
    const answer = await session.ask(each.question, { headers: { authorization: `Bearer ${modelKey}` } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.message).toBe('model: this agent may ask other alone');
    expect(answer.text).not.toContain(modelKey);
    expect(session.asked).toEqual([]);
  });
});
