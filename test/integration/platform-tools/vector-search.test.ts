/** `vector_search` beside a naive reading of its rule, and its bounds. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxAnswerBytes, type ToolCaller } from '../../../api/platform-tools/tool.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { checkAsyncProperty } from '../../support/property.ts';
import { idsOf, item, textItem, type VectorCalls, vectorCalls } from './vector-calls.ts';

let tools: TestTools;
let caller: ToolCaller;
let upsert: VectorCalls['upsert'];
let search: VectorCalls['search'];
let remove: VectorCalls['remove'];
let failure: VectorCalls['failure'];

beforeAll(async () => {
  tools = await openTools();
  ({ upsert, search, remove, failure } = vectorCalls(tools, () => caller));
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

const number = fc.integer({ min: -3, max: 3 });
const vector = fc.tuple(number, number, number).filter((all) => all.some((each) => each !== 0));
const condition = fc.record(
  { kind: fc.constantFrom('a', 'b', null), n: fc.constantFrom(1, '1', true) },
  { requiredKeys: [] },
);

const cosine = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, each, at) => sum + each * (other[at] ?? 0), 0) /
  (Math.hypot(...one) * Math.hypot(...other));

it('finds the most similar items that meet the filter', async () => {
  await checkAsyncProperty(
    fc.asyncProperty(
      fc.array(fc.record({ vector, metadata: condition }), { minLength: 1, maxLength: 12 }),
      vector,
      condition,
      fc.integer({ min: 1, max: 6 }),
      async (given, asked, filter, top_k) => {
        await upsert(
          'model',
          given.map((each, at) => item(`i${String(at).padStart(2, '0')}`, each.vector, each.metadata)),
        );
        const { matches, truncated } = await search({ collection: 'model', vector: asked, top_k, filter });
        await remove({ collection: 'model', filter: {} });
        const conditions = Object.entries(filter);
        const scores = given
          .filter(({ metadata }) => conditions.every(([name, value]) => Object(metadata)[name] === value))
          .map((each) => cosine(each.vector, asked))
          .toSorted((one, other) => other - one);
        expect(truncated).toBe(false);
        expect(matches.map(({ score }) => score)).toEqual(
          scores.slice(0, top_k).map((score) => expect.closeTo(score, 5)),
        );
        for (const { id, score, metadata } of matches) {
          const found = given[Number(id.slice(1))];
          expect(metadata).toEqual(found?.metadata);
          expect(cosine(found?.vector ?? [], asked)).toBeCloseTo(score, 5);
        }
      },
    ),
    { runs: 40 },
  );
});

describe('searching', () => {
  it('compares every item of a collection that takes many batches', async () => {
    const dimensions = 1024;
    const far = Array.from({ length: dimensions }, (_, at) => (at === 0 ? 1 : 0));
    for (let from = 0; from < 700; from += 100) {
      await upsert(
        'a',
        Array.from({ length: 100 }, (_, at) =>
          item(String(from + at), from + at === 617 ? far : far.toReversed(), { part: from }),
        ),
      );
    }
    expect((await search({ collection: 'a', vector: far, top_k: 2 })).matches).toMatchObject([
      { id: '617', score: 1 },
      { id: '0', score: 0 },
    ]);
    expect(idsOf(await search({ collection: 'a', vector: far, top_k: 1, filter: { part: 600 } }))).toEqual([
      '617',
    ]);
    expect(idsOf(await search({ collection: 'a', vector: far, top_k: 1, filter: { part: 650 } }))).toEqual(
      [],
    );
  });

  it('leaves out matches whose metadata would make the answer too large, and says so', async () => {
    const text = 'x'.repeat(4000);
    const items = Array.from({ length: 100 }, (_, at) => item(String(at), [1, at], { text }));
    await upsert('a', items);
    const found = await search({ collection: 'a', vector: [1, 0], top_k: 100 });
    expect(found.truncated).toBe(true);
    expect(found.matches.length).toBeGreaterThan(50);
    expect(JSON.stringify(found).length).toBeLessThan(maxAnswerBytes);
    expect(await search({ collection: 'a', vector: [1, 0], top_k: 20 })).toMatchObject({ truncated: false });
  });

  it.each<[string, unknown, string]>([
    ['neither vector nor text', {}, 'give exactly one of vector and text'],
    ['both', { vector: [1, 0], text: 'a' }, 'give exactly one of vector and text'],
    [
      'other dimensions',
      { vector: [1, 0, 0] },
      'collection: "a" holds vectors of 2 dimensions, and this one has 3',
    ],
    ['zeros', { vector: [0, 0] }, 'vector: must not be all zeros'],
    ['a number beyond all numbers', { vector: JSON.parse('[1e400,1]') }, 'vector: must be a list'],
    ['a text', { text: 'a' }, 'collection: "a" holds vectors that agents give: give "vector"'],
    ['no matches', { vector: [1, 0], top_k: 0 }, 'top_k'],
    ['101 matches', { vector: [1, 0], top_k: 101 }, 'top_k'],
    ['half a match', { vector: [1, 0], top_k: 1.5 }, 'top_k'],
    ['a filter with an operator', { vector: [1, 0], filter: { a: { $ne: 1 } } }, 'filter.a: must be a text'],
    ['an infinite condition', { vector: [1, 0], filter: JSON.parse('{"a":1e400}') }, 'filter.a'],
  ])('refuses %s', async (_what, given, message) => {
    await upsert('a', [item('x', [1, 0])]);
    expect(await failure('vector_search', { collection: 'a', ...Object(given) })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('knows no collection that nobody wrote', async () => {
    expect(await failure('vector_search', { collection: 'gone', text: 'a' })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('"gone"'),
    });
  });

  it('is stopped when it takes too long, and the agent is told', async () => {
    await upsert('a', [textItem('x', 'hello')]);
    const holder = await tools.db.transaction();
    try {
      await holder.raw('lock table vector_items in access exclusive mode');
      expect(await failure('vector_search', { collection: 'a', text: 'hello' })).toMatchObject({
        code: 'too_expensive',
      });
    } finally {
      await holder.rollback();
    }
  });

  it('waits while this process compares as much as it may for others', async () => {
    await upsert('a', [item('x', [1, 0])]);
    const all = 64 * 1024 * 1024;
    expect(await tools.searchBudget.take(all, 0)).toBe(true);
    let isFound = false;
    const searching = search({ collection: 'a', vector: [1, 0] }).then((found) => {
      isFound = true;
      return found;
    });
    await upsert('b', [item('x', [1, 0])]);
    expect(isFound).toBe(false);
    tools.searchBudget.give(all);
    expect(idsOf(await searching)).toEqual(['x']);
  });

  it('compares no more items than it may without an index, and a filter can leave fewer', async () => {
    const limited = await openTools({ LIMIT_VECTORS_SEARCHED_EXACTLY: '3' });
    try {
      const who = await limited.caller();
      const calls = vectorCalls(limited, () => who);
      await calls.upsert(
        'a',
        [1, 2, 3].map((n) => item(String(n), [1, n], { n })),
      );
      // As when the setting was larger before.
      await limited.db('vector_collections').update({ items: 4 });
      const refused = await calls.failure('vector_search', { collection: 'a', vector: [1, 0] });
      expect(refused).toMatchObject({
        code: 'too_expensive',
        message: expect.stringContaining('more than 3 items'),
      });
      const found = await calls.search({ collection: 'a', vector: [1, 0], filter: { n: 2 } });
      expect(idsOf(found)).toEqual(['2']);
    } finally {
      await limited.close();
    }
  });
});
