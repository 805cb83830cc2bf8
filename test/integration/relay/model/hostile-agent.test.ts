/**
 * An agent that tries to use its way to a model for anything else: what reaches the endpoint is what the
 * platform allows, or nothing.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.ts';
import { begin, event, ModelSession, message, modelKey, question, startEvent } from './model-session.ts';

let session: ModelSession;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(() => session.stop());

const errorIn = (text: string) => JSON.parse(text).error;
const user = (...content: object[]) => ({ ...question, messages: [{ role: 'user', content }] });
const found = (...content: object[]) => user({ type: 'tool_result', tool_use_id: 'toolu_1', content });
const url = { type: 'url', url: 'https://internal.example/secret' };
const file = { type: 'file', file_id: 'file_1' };
const asTool = (tool: object) => ({ ...question, tools: [tool] });
const schema = (input_schema: object) => asTool({ name: 'look', input_schema });

describe('what would let the endpoint reach, run or keep something', () => {
  it.each<[string, unknown, string]>([
    ['a search of the web', asTool({ type: 'web_search_20250305', name: 'web_search' }), 'tools.0.type'],
    ['a fetch of the web', asTool({ type: 'web_fetch_20250910', name: 'web_fetch' }), 'tools.0.type'],
    ['a sandbox of the endpoint', asTool({ type: 'code_execution_20250825', name: 'code' }), 'tools.0.type'],
    ['a tool of MCP', asTool({ type: 'mcp_toolset', mcp_server_name: 'far' }), 'tools.0.type'],
    [
      'one tool of the endpoint among the agent’s own',
      {
        ...question,
        tools: [
          { name: 'look', input_schema: { type: 'object' } },
          { type: 'bash_20250124', name: 'bash' },
        ],
      },
      'tools.1.type',
    ],
    [
      'MCP servers',
      { ...question, mcp_servers: [{ type: 'url', url: 'https://far.example', name: 'far' }] },
      'mcp_servers',
    ],
    ['a container', { ...question, container: 'container_1' }, 'container'],
    ['a container with skills', { ...question, container: { skills: [] } }, 'container'],
    ['an image by address', user({ type: 'image', source: url }), 'messages.0.content.0.source'],
    ['an image by file', user({ type: 'image', source: file }), 'messages.0.content.0.source'],
    ['a document by address', user({ type: 'document', source: url }), 'messages.0.content.0.source'],
    ['a document by file', user({ type: 'document', source: file }), 'messages.0.content.0.source'],
    [
      'an image by address in the result of a tool',
      found({ type: 'text', text: 'a' }, { type: 'image', source: url }),
      'messages.0.content.0.content',
    ],
    [
      'a document by address in the result of a tool',
      found({ type: 'document', source: url }),
      'messages.0.content.0.content',
    ],
    [
      'an image by address in a document',
      user({
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: url }] },
      }),
      'messages.0.content.0.source.content',
    ],
    [
      'the same in the result of a tool',
      found({
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: url }] },
      }),
      'messages.0.content.0.content',
    ],
    [
      'an upload into a container',
      user({ type: 'container_upload', file_id: 'file_1' }),
      'messages.0.content.0',
    ],
    [
      'a call of a tool of the endpoint',
      user({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: url }),
      'messages.0.content.0',
    ],
    ['a call of a tool of MCP', user({ type: 'mcp_tool_use', id: 'mcptoolu_1' }), 'messages.0.content.0'],
    ['an image in the system prompt', { ...question, system: [{ type: 'image', source: url }] }, 'system'],
    ['a schema elsewhere', schema({ $ref: 'https://far.example/schema' }), 'tools.0.input_schema'],
    [
      'a schema elsewhere, further down',
      schema({ properties: { a: { items: { anyOf: [{ $ref: 'other.json' }] } } } }),
      'tools.0.input_schema',
    ],
    [
      'a format elsewhere',
      {
        ...question,
        output_config: { format: { type: 'json_schema', schema: { $dynamicRef: '//far.example' } } },
      },
      'output_config.format.schema',
    ],
    [
      'a summary that nothing counts',
      { ...question, context_management: { edits: [{ type: 'compact_20260112' }] } },
      'context_management.edits.0.type',
    ],
  ])('%s is refused by name', async (_what, body, path) => {
    await session.start();
    const answer = await session.ask(body);
    expect(answer.status).toBe(400);
    expect(errorIn(answer.text).type).toBe('invalid_request_error');
    expect(errorIn(answer.text).message.startsWith(path)).toBe(true);
    expect(session.asked).toEqual([]);
    expect(session.questions).toEqual([]);
  });

  it('is left out where it is no field that the platform knows', async () => {
    await session.start();
    await session.ask({
      ...question,
      fallback_urls: ['https://far.example'],
      speed: 'fast',
      inference_geo: 'moon',
      messages: [
        {
          role: 'user',
          id: 'x',
          content: [
            { type: 'text', text: 'a', source: url, cache_control: { type: 'ephemeral', scope: 'global' } },
          ],
        },
      ],
      tools: [
        {
          name: 'look',
          input_schema: { type: 'object', properties: { $ref: { type: 'string' } } },
          allowed_callers: ['code_execution_20250825'],
          url: 'https://far.example',
        },
      ],
      metadata: { user_id: 'one', account: 'other' },
    });
    expect(JSON.parse(session.asked[0]?.body ?? '')).toEqual({
      model: 'test-model',
      max_tokens: 1000,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      ],
      metadata: { user_id: 'one' },
      tools: [{ name: 'look', input_schema: { type: 'object', properties: { $ref: { type: 'string' } } } }],
    });
  });

  it('is not smuggled in by a key twice, by a prototype, or by half a character', async () => {
    await session.start();
    const rest = '"model":"test-model","max_tokens":5,"messages":[{"role":"user","content":"a"}]';
    const tricks = [
      `{"mcp_servers":[{"url":"https://far.example"}],"mcp_servers":[],${rest}}`,
      `{"__proto__":{"mcp_servers":[{"url":"https://far.example"}],"container":"c"},${rest}}`,
      `{"constructor":{"prototype":{"container":"c"}},${rest}}`,
      `{"mcp\\u005fservers":[],${rest}}`,
    ];
    for (const text of tricks) {
      expect(await session.ask(text)).toMatchObject({ status: 200 });
    }
    for (const { body } of session.asked) {
      expect(body).toBe(`{${rest}}`);
    }
    expect(await session.ask(`{"mcp_servers":[],"mcp\\u005fservers":[{"url":"x"}],${rest}}`)).toMatchObject({
      status: 400,
    });
    await session.ask(user({ type: 'text', text: '\ud800' }));
    expect(session.asked.at(-1)?.body).toContain('\\ud800');
    const raw = Buffer.concat([
      Buffer.from(`{"system":"`),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from(`",${rest}}`),
    ]);
    expect(await session.ask(raw)).toMatchObject({ status: 400 });
  });
});

describe('a request that is no request', () => {
  it.each<[string, unknown, number]>([
    ['nothing', '', 400],
    ['half of one', '{"model":', 400],
    ['a list', '[]', 400],
    ['no model', { ...question, model: undefined }, 400],
    ['tokens that are none', { ...question, max_tokens: -1 }, 400],
    ['tokens without end', '{"model":"m","max_tokens":1e999,"messages":[]}', 400],
    ['nesting without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
    ['nesting in a tool', schema({ a: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) }), 400],
    ['values without end', `[${'0,'.repeat(300_000)}0]`, 400],
    ['too many bytes', 'x'.repeat(70_000), 413],
    ['messages that are none', { ...question, messages: 'hello' }, 400],
    ['a message of nobody', { ...question, messages: [{ role: 'admin', content: 'a' }] }, 400],
  ])('%s is refused', async (what, body, status) => {
    await session.start({ limits: what === 'too many bytes' ? { bodyBytes: 60_000 } : {} });
    expect(await session.ask(body)).toMatchObject({ status });
    expect(session.asked).toEqual([]);
    expect(await session.ask(question)).toMatchObject({ status: 200 });
  });

  it('in another type or encoding is refused', async () => {
    await session.start();
    expect(await session.ask(question, { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    });
    expect(await session.ask(question, { headers: { 'content-encoding': 'gzip' } })).toMatchObject({
      status: 415,
    });
  });

  it('to a model that is not the agent’s is refused', async () => {
    await session.start({ models: ['one', 'two'] });
    const answer = await session.ask(question);
    expect(answer.status).toBe(400);
    expect(errorIn(answer.text).message).toBe('model: this agent may ask one, two alone');
    expect(await session.ask({ ...question, model: 'two' })).toMatchObject({ status: 200 });
  });
});

describe('the socket for anything else', () => {
  it('answers one method at one path', async () => {
    await session.start();
    const paths = [
      '/',
      '/v1/messages/',
      '/v1/messages/count_tokens',
      '/v1/messages/batches',
      '/v1/messages?beta=true&x=1',
      '/v1/messages?beta=false',
      '/v1/messages#a',
      '/v1//messages',
      '/v1/./messages',
      '/v1/messages%2f..%2ffiles',
      '/V1/messages',
      '/v1/files',
      '/v1/models',
      '//evil.example/v1/messages',
      'http://evil.example/v1/messages',
    ];
    for (const path of paths) {
      expect([path, (await session.ask(question, { path })).status]).toEqual([path, 404]);
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD']) {
      expect([method, (await session.ask('', { method })).status]).toEqual([method, 405]);
    }
    expect(session.asked).toEqual([]);
  });

  it('is no tunnel and changes to no other protocol', async () => {
    await session.start();
    const text = JSON.stringify(question);
    const head = `content-type: application/json\r\ncontent-length: ${text.length}\r\n`;
    for (const request of [
      `CONNECT 127.0.0.1:${session.host.split(':')[1]} HTTP/1.1\r\nhost: ${session.host}\r\n\r\n`,
      `POST /v1/messages HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n${head}\r\n${text}`,
      `POST /v1/messages HTTP/1.1\r\nconnection: upgrade\r\nupgrade: h2c\r\n${head}\r\n${text}`,
    ]) {
      expect(await session.raw(request)).toMatch(/^HTTP\/1.1 405 /);
    }
    expect(await session.raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(/^(HTTP\/1.1 400 |$)/);
    expect(session.asked).toEqual([]);
  });

  it('chooses neither host nor headers of what is sent on', async () => {
    await session.start();
    const text = JSON.stringify(question);
    for (const hosts of ['', 'host: evil.example\r\n', 'host: a\r\nx-forwarded-host: evil.example\r\n']) {
      const head = `${hosts}content-type: application/json\r\ncontent-length: ${text.length}\r\nconnection: close\r\n`;
      expect(await session.raw(`POST /v1/messages HTTP/1.1\r\n${head}\r\n${text}`)).toMatch(
        /^HTTP\/1.1 200 /,
      );
    }
    expect(session.asked).toHaveLength(3);
    for (const { headers } of session.asked) {
      expect(headers.host).toBe(session.host);
      expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual(['x-api-key']);
    }
  });

  it('reads a connection one way: nothing is hidden in what another reader would skip', async () => {
    await session.start();
    const text = JSON.stringify(question);
    const hidden = `POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;
    const type = 'content-type: application/json\r\n';
    const ambiguous = [
      `${type}content-length: ${text.length}\r\ntransfer-encoding: chunked\r\n\r\n${text}`,
      `${type}content-length: ${text.length}\r\ncontent-length: 5\r\n\r\n${text}`,
      `${type}transfer-encoding: chunked, identity\r\n\r\n${text}`,
      `${type}transfer-encoding : chunked\r\n\r\n0\r\n\r\n`,
      `${type}content-length: +5\r\n\r\n${text}`,
      `${type}a: b\r\n c: d\nx: y\n\r\n\r\n${text}`,
    ];
    for (const rest of ambiguous) {
      expect(await session.raw(`POST /v1/messages HTTP/1.1\r\n${rest}${hidden}`)).toMatch(
        /^HTTP\/1.1 4\d\d /,
      );
    }
    expect(session.asked).toEqual([]);
    const chunk = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const both = await session.raw(
      `POST /v1/messages HTTP/1.1\r\n${type}transfer-encoding: chunked\r\n\r\n${chunk}${hidden}`,
    );
    expect(both).toMatch(/^HTTP\/1.1 200 /);
    expect(both).toContain('HTTP/1.1 404 ');
    expect(session.asked).toHaveLength(1);
  });

  it('takes headers up to a limit', async () => {
    await session.start();
    expect(await session.ask(question, { headers: { a: 'b'.repeat(40_000) } })).toMatchObject({
      status: 431,
    });
    expect(
      await session.ask(question, {
        headers: { 'anthropic-beta': `${'claude-code-1,'.repeat(1500)}files-api-1` },
      }),
    ).toMatchObject({ status: 200 });
    expect(session.asked[0]?.headers['anthropic-beta']).toBe('claude-code-1');
  });

  it('does no more than some requests at a time, and is not kept by whoever holds connections', async () => {
    await session.start({ limits: { requests: 2, requestMs: 1000 } });
    let finish: (() => void)[] = [];
    session.respond = (_asked, response) => {
      begin(response).write(event(startEvent));
      finish.push(() => response.end(event({ type: 'message_stop' })));
    };
    const streamed = { ...question, stream: true };
    const open = [session.ask(streamed), session.ask(streamed)];
    await eventually(() => expect(session.asked).toHaveLength(2));
    expect(await session.ask(streamed)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    for (const each of finish) {
      each();
    }
    finish = [];
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200]);
    const silent = Array.from({ length: 40 }, () => session.raw('POST /v1/messages HTTP/1.1\r\n', 3000));
    session.respond = (_asked, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    expect(await session.ask(question)).toMatchObject({ status: 200 });
    await Promise.all(silent);
  });

  it('has nobody wait for a connection on which nothing is said, which ends in time', async () => {
    await session.start({ limits: { requestMs: 2000 } });
    const silent = Array.from({ length: 3 }, () => session.raw('', 60_000));
    for (let asked = 0; asked < 5; asked += 1) {
      expect(await session.ask(question)).toMatchObject({ status: 200 });
    }
    expect(await Promise.all(silent)).toEqual(['', '', '']);
  });

  it('waits for nobody: half a head, half a body, and silence after an answer end in time', async () => {
    await session.start({ limits: { requestMs: 400, connections: 4 } });
    const text = JSON.stringify(question);
    const head = `POST /v1/messages HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n`;
    const began = Date.now();
    const [half, body, kept] = await Promise.all([
      session.raw(head, 120_000),
      session.raw(`${head}\r\n{`, 120_000),
      session.raw(`${head}\r\n${text}POST /v1`, 120_000),
    ]);
    expect(half).toBe('');
    expect(body).toMatch(/^HTTP\/1.1 408 /);
    expect(kept).toMatch(/^HTTP\/1.1 200 /);
    expect(Date.now() - began).toBeLessThan(100_000);
    expect(await session.ask(question)).toMatchObject({ status: 200 });
  });

  it('says nothing of the key, whatever is asked', async () => {
    await session.start();
    const answers = [
      await session.ask(question, { path: '/v1/models' }),
      await session.ask('{'),
      await session.ask(question, { headers: { 'x-api-key': modelKey } }),
    ];
    expect(JSON.stringify(answers)).not.toContain(modelKey);
  });
});
