/**
 * `vector_upsert`, `vector_delete` and `list_collections` on a real database: what they
 * write, and what they refuse.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { vectorToBytes } from '../../../contract/vectors.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { idsOf, item, textItem, type VectorCalls, vectorCalls } from './vector-calls.ts';

let tools: TestTools;
let caller: ToolCaller;
let upsert: VectorCalls['upsert'];
let search: VectorCalls['search'];
let remove: VectorCalls['remove'];
let list: VectorCalls['list'];
let failure: VectorCalls['failure'];

beforeAll(async () => {
  tools = await openTools();
  ({ upsert, search, remove, list, failure } = vectorCalls(tools, () => caller));
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

const given = { name: 'given', model: null };
const local = { name: 'local-hashed-ngrams', model: null };

describe('writing', () => {
  it('makes the collection with its first items, and replaces items that are written again', async () => {
    expect(await upsert('a', [item('x', [1, 0], { n: 1 }), item('y', [0, 2])])).toEqual({
      ...{ created: 2, updated: 0, items: 2, dimensions: 2, embedder: given },
    });
    const colleague = await tools.colleague(caller);
    expect(await upsert('a', [item('x', [0, 1], { m: 2 }), item('z', [3, 4])], colleague)).toEqual({
      ...{ created: 1, updated: 1, items: 3, dimensions: 2, embedder: given },
    });
    const { matches } = await search({ collection: 'a', vector: [0, 1] });
    expect(matches).toEqual([
      { id: 'x', score: 1, metadata: { m: 2 } },
      { id: 'y', score: 1, metadata: {} },
      { id: 'z', score: 0.8, metadata: {} },
    ]);
    const [row] = await tools.db('vector_items').where({ workspace_id: caller.workspace_id, id: 'x' });
    expect(row).toMatchObject({ created_by_session: caller.id, updated_by_session: colleague.id });
    expect(await list()).toEqual([
      {
        ...{ name: 'a', dimensions: 2, embedder: given, items: 3 },
        ...{ created_at: expect.any(String), created_by_session: caller.id },
      },
    ]);
  });

  it('keeps no text, and embeds texts by their spelling without a provider', async () => {
    const written = await upsert('a', [
      textItem('x', 'blank pages from the printer'),
      textItem('y', 'VPN drops'),
    ]);
    expect(written).toMatchObject({ created: 2, dimensions: 512, embedder: local });
    expect(
      idsOf(await search({ collection: 'a', text: 'the printer prints a blank page', top_k: 1 })),
    ).toEqual(['x']);
    const [row] = await tools.db('vector_items').where({ workspace_id: caller.workspace_id, id: 'x' });
    expect(JSON.stringify(row)).not.toContain('blank');
    expect(tools.logged()).not.toContain('blank');
  });

  it('takes a hundred vectors of 1,536 numbers as base64, in one message of less than a megabyte', async () => {
    const vectorOf = (at: number) =>
      Float32Array.from({ length: 1536 }, (_, place) => Math.sin(at * 1537 + place));
    const items = Array.from({ length: 100 }, (_, at) =>
      item(String(at), vectorToBytes(vectorOf(at)).toString('base64')),
    );
    expect(JSON.stringify(items).length).toBeLessThan(1024 * 1024 - 4096);
    expect(await upsert('a', items)).toMatchObject({ created: 100, dimensions: 1536 });
    expect((await search({ collection: 'a', vector: [...vectorOf(42)], top_k: 1 })).matches).toMatchObject([
      { id: '42', score: 1 },
    ]);
  });

  it('writes all or none', async () => {
    await failure('vector_upsert', { collection: 'a', items: [item('x', [1, 0]), item('y', [0, 0])] });
    expect(await list()).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no items', [], 'items'],
    ['101 items', Array.from({ length: 101 }, (_, at) => item(String(at), [1])), 'items'],
    [
      'one id twice',
      [item('x', [1]), item('y', [1]), item('x', [1])],
      'items.2: has the id of an earlier one',
    ],
    ['an empty id', [item('', [1])], 'items.0.id'],
    ['a long id', [item('x'.repeat(257), [1])], 'items.0.id'],
    ['NUL in an id', [item('a\0', [1])], 'items.0.id'],
    ['half a surrogate pair in an id', [item('a\ud800', [1])], 'items.0.id'],
    ['neither vector nor text', [{ id: 'x' }], 'items.0: give exactly one of vector and text'],
    ['both', [{ id: 'x', vector: [1], text: 'a' }], 'items.0: give exactly one of vector and text'],
    ['texts among vectors', [item('x', [1]), textItem('y', 'a')], 'items.1: must have a text, or a vector'],
    [
      'different dimensions',
      [item('x', [1]), item('y', [1, 2])],
      'items.1: has 2 dimensions where the first',
    ],
    ['a number beyond all numbers', [item('x', JSON.parse('[1e400]'))], 'items.0.vector: must be a list'],
    ['zeros', [item('x', [0, 0])], 'items.0.vector: must not be all zeros'],
    ['4,097 dimensions', [item('x', Array(4097).fill(1))], 'items.0.vector: must be a list of 1 to 4096'],
    ['a blank text', [textItem('x', ' ')], 'items.0.text: must not be blank'],
    [
      'metadata of 5 KiB',
      [item('x', [1], { a: 'x'.repeat(5 * 1024) })],
      'items.0.metadata: must have 4096 bytes',
    ],
    [
      'infinity in metadata',
      [item('x', [1], JSON.parse('{"a":[1e400]}'))],
      'items.0.metadata.a.0: is too large',
    ],
    ['NUL in metadata', [item('x', [1], { a: '\0' })], 'items.0.metadata.a'],
    ['a further field', [{ ...item('x', [1]), session: 'y' }], 'items.0'],
  ])('refuses %s', async (_what, items, message) => {
    expect(await failure('vector_upsert', { collection: 'a', items })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it.each(['', ' a', 'a\n', 'x'.repeat(65)])('refuses the collection name %j', async (collection) => {
    expect(await failure('vector_upsert', { collection, items: [item('x', [1])] })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('collection'),
    });
  });
});

describe('a collection', () => {
  it('takes vectors of its dimensions only, and no texts, when its vectors are given', async () => {
    await upsert('a', [item('x', [1, 0])]);
    for (const [items, message] of [
      [[item('y', [1, 0, 0])], 'collection: "a" holds vectors of 2 dimensions, and this one has 3'],
      [[textItem('y', 'a')], 'collection: "a" holds vectors of 2 dimensions that agents give: give "vector"'],
    ] as const) {
      expect(await failure('vector_upsert', { collection: 'a', items })).toMatchObject({
        code: 'validation_failed',
        message: expect.stringContaining(message),
      });
    }
    expect(await list()).toMatchObject([{ items: 1 }]);
  });

  it('takes no given vectors when it is made of texts, also of the right dimensions', async () => {
    await upsert('a', [textItem('x', 'hello')]);
    expect(
      await failure('vector_upsert', { collection: 'a', items: [item('y', Array(512).fill(1))] }),
    ).toMatchObject({
      code: 'validation_failed',
      message:
        'collection: "a" holds vectors of texts (local-hashed-ngrams): give "text" in place of "vector"',
    });
  });

  it('goes with its last item, and its name is free then', async () => {
    await upsert('a', [item('x', [1, 0]), item('y', [1, 0])]);
    expect(await remove({ collection: 'a', ids: ['x', 'gone'] })).toBe(1);
    expect(await list()).toMatchObject([{ items: 1 }]);
    expect(await remove({ collection: 'a', ids: ['y'] })).toBe(1);
    expect(await list()).toEqual([]);
    expect(await failure('vector_delete', { collection: 'a', ids: ['y'] })).toMatchObject({
      code: 'not_found',
    });
    expect(await upsert('a', [textItem('x', 'now texts')])).toMatchObject({ dimensions: 512 });
  });

  it('loses the items that meet a filter, or all of them', async () => {
    const items = [1, 2, 3].map((n) => item(String(n), [1, n], { n, odd: n % 2 === 1 }));
    await upsert('a', items);
    expect(await remove({ collection: 'a', filter: { odd: true, n: 3 } })).toBe(1);
    expect(await remove({ collection: 'a', filter: { odd: 'true' } })).toBe(0);
    expect(await remove({ collection: 'a', filter: {} })).toBe(2);
    expect(await list()).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['neither ids nor a filter', {}, 'give exactly one of ids and filter'],
    ['both', { ids: ['x'], filter: {} }, 'give exactly one of ids and filter'],
    ['no ids', { ids: [] }, 'ids'],
    ['501 ids', { ids: Array.from({ length: 501 }, (_, at) => String(at)) }, 'ids'],
    ['a filter with an operator', { filter: { n: { $gt: 1 } } }, 'filter.n: must be a text'],
  ])('is not deleted from with %s', async (_what, selection, message) => {
    await upsert('a', [item('x', [1])]);
    expect(await failure('vector_delete', { collection: 'a', ...Object(selection) })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });
});

describe('quotas', () => {
  let limited: TestTools;
  beforeAll(async () => {
    limited = await openTools({
      LIMIT_VECTOR_COLLECTIONS_PER_WORKSPACE: '2',
      LIMIT_VECTORS_PER_WORKSPACE: '5',
      LIMIT_VECTORS_SEARCHED_EXACTLY: '3',
    });
  });
  afterAll(() => limited.close());

  const items = (...ids: string[]) => ids.map((id) => item(id, [1, 1]));

  it('bound collections, items, and items of a collection without an index', async () => {
    const who = await limited.caller();
    const calls = vectorCalls(limited, () => who);
    await calls.upsert('a', items('1', '2', '3'));
    expect(await calls.failure('vector_upsert', { collection: 'a', items: items('4') })).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('The limit is 3 vectors of 2 dimensions in a collection'),
    });
    await calls.upsert('b', items('1', '2'));
    expect(await calls.failure('vector_upsert', { collection: 'b', items: items('3') })).toMatchObject({
      code: 'limit_reached',
      message: 'The limit is 5 vectors in a workspace',
    });
    expect(await calls.failure('vector_upsert', { collection: 'c', items: items('1') })).toMatchObject({
      code: 'limit_reached',
      message: 'The limit is 2 collections of vectors in a workspace',
    });
    // What is there can still be written, and what was deleted no longer counts.
    await calls.upsert('a', items('1', '2', '3'));
    await calls.remove({ collection: 'b', filter: {} });
    await calls.upsert('c', items('1'));
    // Other workspaces have quotas of their own.
    await calls.upsert('a', items('1', '2', '3'), await limited.caller());
  });

  it('hold exactly when many write at the same time', async () => {
    const who = await limited.caller();
    const calls = vectorCalls(limited, () => who);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        limited.call(who, 'vector_upsert', { collection: `c${at % 2}`, items: items(String(at)) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'ok')).toHaveLength(5);
    const counted = (await calls.list()).reduce((sum, each) => sum + each.items, 0);
    expect(counted).toBe(5);
    const rows = await limited.db('vector_items').where({ workspace_id: who.workspace_id });
    expect(rows).toHaveLength(5);
  });
});
