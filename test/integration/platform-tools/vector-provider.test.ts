/** Texts that a provider of the workspace embeds: a real HTTP server, which the tests let misbehave. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defaultProviderLimits } from '../../../api/embedding-provider/ask-provider.ts';
import { embeddingServersWith } from '../../../api/embedding-provider/provider-url.ts';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import {
  removeEmbeddingProvider,
  setEmbeddingProvider,
} from '../../../commands/embedding-providers/embedding-providers.ts';
import { clearSecret, restrictSecret } from '../../../commands/secrets/secrets.ts';
import type { EmbeddingProviderInput } from '../../../contract/embedding-provider.ts';
import {
  answerJson,
  type Behaviour,
  embed,
  startTestProvider,
  type TestProvider,
} from '../../support/embedding-provider.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { idsOf, textItem, type VectorCalls, vectorCalls } from './vector-calls.ts';

const key = 'sk-0123456789abcdef';
const usual = { ...defaultProviderLimits, firstDelayMs: 10, answerBytes: 64 * 1024 };
/** A test of a slow provider has shorter ones. */
const limits = { ...usual };
let provider: TestProvider;
let tools: TestTools;
let caller: ToolCaller;
let upsert: VectorCalls['upsert'];
let search: VectorCalls['search'];
let failure: VectorCalls['failure'];

beforeAll(async () => {
  provider = await startTestProvider();
  const servers = embeddingServersWith(new Map([[provider.host, 'http']]));
  tools = await openTools({}, { ...servers, limits });
  ({ upsert, search, failure } = vectorCalls(tools, () => caller));
});
beforeEach(async () => {
  caller = await tools.caller();
  provider.behave(embed);
  Object.assign(limits, usual);
  provider.received.length = 0;
  await tools.tenantOf(caller).secret('MODEL_KEY', key);
  await set();
});
afterAll(async () => {
  await tools.close();
  await provider.close();
});

async function set(fields: Partial<EmbeddingProviderInput> = {}): Promise<void> {
  const { workspace, ada } = tools.tenantOf(caller);
  const input = { base_url: `http://${provider.host}/v1`, model: 'letters', dimensions: null };
  await setEmbeddingProvider(
    tools.db,
    workspace.id,
    { ...input, api_key: '${MODEL_KEY}', ...fields },
    ada.id,
  );
}
const failedUpsert = () =>
  failure('vector_upsert', { collection: 'a', items: [textItem('x', 'private words')] });

describe('a provider', () => {
  it('embeds what is written and what is searched for, with its key', async () => {
    expect(await upsert('a', [textItem('as', 'aaaa'), textItem('bs', 'bbbb')])).toMatchObject({
      dimensions: 3,
      embedder: { name: 'provider', model: 'letters' },
    });
    expect(idsOf(await search({ collection: 'a', text: 'bb' }))).toEqual(['bs', 'as']);
    expect(provider.received).toMatchObject([
      {
        ...{ method: 'POST', url: '/v1/embeddings', headers: { authorization: `Bearer ${key}` } },
        body: { model: 'letters', input: ['aaaa', 'bbbb'], encoding_format: 'float' },
      },
      { body: { input: ['bb'] } },
    ]);
    expect(provider.received[0]?.body).not.toHaveProperty('dimensions');
  });

  it('is asked for the dimensions that are set, and without a key where it has none', async () => {
    await set({ dimensions: 3, api_key: null });
    await upsert('a', [textItem('x', 'abc')]);
    expect(provider.received[0]?.body.dimensions).toBe(3);
    expect(provider.received[0]?.headers).not.toHaveProperty('authorization');
    await set({ dimensions: 4 });
    expect(await failedUpsert()).toMatchObject({
      code: 'embedding_failed',
      message: expect.stringContaining('of 3 dimensions where 4 are expected'),
    });
  });

  it('is asked in parts for many texts, whose vectors stay in order', async () => {
    const items = Array.from({ length: 40 }, (_, at) => textItem(String(at), 'a'.repeat(at + 1)));
    await upsert('a', items);
    expect(provider.received.map(({ body }) => body.input.length)).toEqual([16, 16, 8]);
    expect(idsOf(await search({ collection: 'a', text: 'a'.repeat(1000), top_k: 3 }))).toEqual([
      '39',
      '38',
      '37',
    ]);
  });

  it('is not asked for a collection that is made by spelling, which stays so', async () => {
    const { workspace, ada } = tools.tenantOf(caller);
    await removeEmbeddingProvider(tools.db, workspace.id, ada.id);
    await upsert('a', [textItem('x', 'hello')]);
    await set();
    await upsert('a', [textItem('y', 'world')]);
    expect(idsOf(await search({ collection: 'a', text: 'world', top_k: 1 }))).toEqual(['y']);
    expect(provider.received).toEqual([]);
  });

  it('cannot be replaced by another model, or by none, for a collection that it made', async () => {
    await upsert('a', [textItem('x', 'a')]);
    await set({ model: 'words' });
    for (const answer of [
      await failedUpsert(),
      await failure('vector_search', { collection: 'a', text: 'a' }),
    ]) {
      expect(answer).toMatchObject({
        code: 'embedding_failed',
        message: expect.stringContaining('made by the model letters'),
      });
    }
    const { workspace, ada } = tools.tenantOf(caller);
    await removeEmbeddingProvider(tools.db, workspace.id, ada.id);
    expect(await failedUpsert()).toMatchObject({
      message: expect.stringContaining('no embedding provider any more'),
    });
    // Without a text nobody is asked.
    expect(idsOf(await search({ collection: 'a', vector: [1, 0, 0] }))).toEqual(['x']);
  });
});

describe('the key of a provider', () => {
  it('is the secret as it is at that moment', async () => {
    await upsert('a', [textItem('x', 'a')]);
    await tools.tenantOf(caller).secret('MODEL_KEY', 'another-key');
    await upsert('a', [textItem('x', 'a')]);
    expect(provider.received.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${key}`,
      'Bearer another-key',
    ]);
  });

  it.each<[string, (workspaceId: string, userId: string) => Promise<unknown>, string]>([
    [
      'was cleared',
      (workspaceId, userId) => clearSecret(tools.db, { workspaceId, name: 'MODEL_KEY' }, userId),
      'needs secret MODEL_KEY, which is not set',
    ],
    [
      'was restricted to an entry',
      (workspaceId, userId) =>
        restrictSecret(tools.db, { workspaceId, name: 'MODEL_KEY' }, ['files'], userId),
      'needs secret MODEL_KEY, which only MCP servers may be given',
    ],
    [
      'would be two headers',
      () => tools.tenantOf(caller).secret('MODEL_KEY', `${key}\r\nx-other: 1`),
      'needs secret MODEL_KEY, whose value is no key',
    ],
  ])('is not sent once it %s', async (_what, change, message) => {
    const { workspace, ada } = tools.tenantOf(caller);
    await change(workspace.id, ada.id);
    const answer = await failedUpsert();
    expect(answer).toMatchObject({ code: 'embedding_failed', message: expect.stringContaining(message) });
    expect(provider.received).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain(key);
  });
});

describe('a provider that misbehaves', () => {
  const inVectors = (embedding: string) => `{"data":[{"index":0,"embedding":${embedding}}]}`;
  it.each<[string, Behaviour, string, number]>([
    [
      'redirects, with the key in the address',
      (_asked, response) => response.writeHead(302, { location: `https://${key}.example/` }).end(),
      'could not be asked (redirect_refused)',
      1,
    ],
    [
      'answers without end',
      (_asked, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(64 * 1024))) {
            // Until the connection takes no more at once.
          }
        };
        response.on('drain', more);
        more();
      },
      'could not be asked (too_large)',
      1,
    ],
    [
      'answers a page',
      (_asked, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${key}</p>`),
      'could not be asked (unexpected_content_type)',
      1,
    ],
    [
      'closes the connection',
      (_asked, response) => response.destroy(),
      'could not be asked (unreachable)',
      3,
    ],
    [
      'repeats the key in a refusal',
      (_asked, response) => answerJson(response, { error: { message: key } }, 401),
      'refused the texts (it does not accept the key)',
      1,
    ],
    [
      'is overloaded',
      (_asked, response) => answerJson(response, {}, 503),
      'refused the texts (HTTP status 503)',
      3,
    ],
    [
      'answers garbage',
      (_asked, response) => answerJson(response, '{"data":'),
      'an answer that is not JSON',
      1,
    ],
    ['answers NaN', (_asked, response) => answerJson(response, inVectors('[NaN]')), 'that is not JSON', 1],
    [
      'answers 1e400',
      (_asked, response) => answerJson(response, inVectors('[1e400]')),
      'no list of vectors',
      1,
    ],
    [
      'answers zeros',
      (_asked, response) => answerJson(response, inVectors('[0,0]')),
      'must not be all zeros',
      1,
    ],
    [
      'answers nothing useful',
      (_asked, response) => answerJson(response, { data: [] }),
      '0 vectors for 1 texts',
      1,
    ],
  ])('has no effect when it %s', (_what, behaviour, message, requests) =>
    hasNoEffect(behaviour, message, requests),
  );

  it.each<[string, Behaviour]>([
    ['nothing', () => undefined],
    [
      'a byte now and then',
      (_asked, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('has no effect when it answers %s', (_what, behaviour) => {
    Object.assign(limits, { requestTimeoutMs: 300, totalTimeoutMs: 700 });
    return hasNoEffect(behaviour, 'could not be asked (timed_out)', 3);
  });

  async function hasNoEffect(behaviour: Behaviour, message: string, requests: number): Promise<void> {
    provider.behave(behaviour);
    const answer = await failedUpsert();
    expect(answer).toMatchObject({ code: 'embedding_failed', message: expect.stringContaining(message) });
    expect(provider.received.length).toBeLessThanOrEqual(requests);
    expect(provider.received.length).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(await tools.db('vector_collections').where({ workspace_id: caller.workspace_id })).toEqual([]);
    expect(tools.logged()).toContain('texts were not embedded');
    expect(tools.logged()).not.toContain(key);
    expect(tools.logged()).not.toContain('private words');
  }

  it('is asked again when it was overloaded for a moment', async () => {
    let refusals = 2;
    provider.behave((asked, response) => {
      refusals -= 1;
      return refusals >= 0 ? answerJson(response, {}, 429) : embed(asked, response);
    });
    expect(await upsert('a', [textItem('x', 'a')])).toMatchObject({ created: 1 });
  });

  it('has no effect when its vectors change their dimensions', async () => {
    await upsert('a', [textItem('x', 'a')]);
    provider.behave((_asked, response) => answerJson(response, inVectors('[1,2]')));
    expect(await failedUpsert()).toMatchObject({
      message: expect.stringContaining('holds vectors of 3 dimensions'),
    });
    expect(await failure('vector_search', { collection: 'a', text: 'a' })).toMatchObject({
      message: expect.stringContaining('holds vectors of 3 dimensions, and this one has 2'),
    });
  });

  it.each([
    ['inside', 'https://10.0.0.1/v1', 'address_refused'],
    ['to this machine', 'https://127.0.0.1/v1', 'address_refused'],
    ['to a metadata service', 'https://169.254.169.254/v1', 'address_refused'],
    ['to plain http', 'http://example.com/v1', 'insecure'],
  ])('is not asked when its address leads %s', async (_what, base_url, code) => {
    await set({ base_url });
    expect(await failedUpsert()).toMatchObject({ message: expect.stringContaining(`(${code})`) });
  });
});
