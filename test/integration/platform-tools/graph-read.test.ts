/**
 * `graph_query`, `graph_resolve` and `graph_discover` on a real database: what they find, and their bounds.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { maxAnswerBytes, type ToolCaller } from '../../../api/platform-tools/tool.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { graphCalls, keysOf, node } from './graph-calls.ts';

let tools: TestTools;
let caller: ToolCaller;
const { write, relate, query, resolve, discover, failure } = graphCalls(
  () => tools,
  () => caller,
);

beforeAll(async () => {
  tools = await openTools();
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

describe('querying', () => {
  it('follows cycles and self-links to an end', async () => {
    await write(['a', 'b', 'c'].map((key) => node('t', key)));
    const at = (key: string) => ({ type: 't', key });
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'a'],
    ]) {
      await relate(at(from ?? ''), 'next', at(to ?? ''));
    }
    const found = await query({ match: { key: 'a' }, traverse: [{ direction: 'out', depth: 8 }] });
    expect(keysOf(found)).toEqual(['a', 'b', 'c']);
    expect(found.edges).toHaveLength(4);
    expect(found.truncated).toBe(false);
    expect(keysOf(await query({ match: { key: 'a' }, traverse: [{ direction: 'in', depth: 1 }] }))).toEqual([
      'a',
      'c',
    ]);
  });

  it('goes on with the next step from where the one before arrived', async () => {
    await write(['p1', 'p2', 't1', 'c1'].map((key) => node('t', key)));
    const at = (key: string) => ({ type: 't', key });
    await relate(at('p1'), 'member_of', at('t1'));
    await relate(at('p2'), 'member_of', at('t1'));
    await relate(at('p2'), 'lives_in', at('c1'));
    const colleagues = await query({
      match: { key: 'p1' },
      traverse: [
        { relation: 'member_of', direction: 'out', depth: 1 },
        { relation: 'member_of', direction: 'in', depth: 1 },
        { relation: 'lives_in', direction: 'both', depth: 1 },
      ],
    });
    expect(keysOf(colleagues)).toEqual(['p1', 't1', 'p2', 'c1']);
    expect(colleagues.edges.map(({ relation }) => relation)).toEqual(['member_of', 'member_of', 'lives_in']);
  });

  it('matches by ids, key and properties, by exactly their values', async () => {
    const written = await write([
      node('t', 'a', { n: 1, flag: true, text: 'x', list: [1] }),
      node('t', 'b', { n: '1', flag: null }),
      node('u', 'a', { n: 1 }),
    ]);
    const keys = async (match: unknown) =>
      (await query({ match })).nodes.map(({ type, key }) => `${type}/${key}`);
    expect(await keys({ where: { n: 1 } })).toEqual(['t/a', 'u/a']);
    expect(await keys({ where: { n: '1' } })).toEqual(['t/b']);
    expect(await keys({ where: { flag: null } })).toEqual(['t/b']);
    expect(await keys({ where: { n: 1, flag: true } })).toEqual(['t/a']);
    expect(await keys({ where: { list: 1 } })).toEqual([]);
    expect(await keys({ type: 't', key: 'a' })).toEqual(['t/a']);
    expect(await keys({ ids: [written[2]?.id, written[1]?.id, randomUUID()] })).toEqual(['t/b', 'u/a']);
  });

  it.each([
    [
      'a depth of 9 in one step',
      { match: {}, traverse: [{ direction: 'out', depth: 9 }] },
      'traverse.0.depth',
    ],
    [
      'a depth of 9 in two steps',
      {
        match: {},
        traverse: [
          { direction: 'out', depth: 5 },
          { direction: 'in', depth: 4 },
        ],
      },
      'traverse: must have a depth of 8',
    ],
    ['a depth of 0', { match: {}, traverse: [{ direction: 'out', depth: 0 }] }, 'traverse.0.depth'],
    ['another direction', { match: {}, traverse: [{ direction: 'up', depth: 1 }] }, 'traverse.0.direction'],
    ['501 rows', { match: {}, limit: 501 }, 'limit'],
    ['no match', {}, 'match'],
    ['a condition that is an object', { match: { where: { a: { b: 1 } } } }, 'match.where.a: must be a text'],
    ['an infinite condition', { match: { where: JSON.parse('{"a":1e400}') } }, 'match.where.a'],
    ['NUL in the name of a condition', { match: { where: { 'a\0': 1 } } }, 'match.where'],
    ['half a surrogate pair', { match: { where: { a: '\ud800' } } }, 'match.where.a'],
    ['an operator', { match: { where: { a: 1 }, or: [] } }, 'match.or'],
    ['51 ids', { match: { ids: Array.from({ length: 51 }, () => randomUUID()) } }, 'match.ids'],
  ])('refuses %s', async (_what, given, message) => {
    expect(await failure('graph_query', given)).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('leaves out what an answer has no place for, and says so', async () => {
    const large = { text: 'x'.repeat(16_000) };
    await write(Array.from({ length: 40 }, (_, at) => node('t', `n${String(at).padStart(2, '0')}`, large)));
    const found = await query({ match: {}, limit: 500 });
    expect(found.truncated).toBe(true);
    expect(found.nodes.length).toBeGreaterThan(5);
    expect(found.nodes.length).toBeLessThan(40);
    expect(keysOf(found)).toEqual(keysOf(found).toSorted());
    expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(maxAnswerBytes);
    expect((await resolve({ text: 'n', limit: 50 })).truncated).toBe(true);
  });

  it('is stopped when it takes too long, and the agent is told', async () => {
    const holder = await tools.db.transaction();
    await holder.raw('lock table graph_nodes in access exclusive mode');
    expect(await failure('graph_query', { match: {} })).toEqual({
      status: 'failed',
      code: 'too_expensive',
      message: expect.stringContaining('took too long'),
    });
    await holder.rollback();
    expect(await query({ match: {} })).toMatchObject({ truncated: false });
  });
});

describe('resolving', () => {
  beforeEach(async () => {
    await write([
      node('person', 'ada@example.com', { name: 'Ada Lovelace' }),
      node('person', 'john', { name: 'John Smith' }),
      node('company', 'Acme'),
      node('company', 'acme-holding', { name: 'ACME Holding of Zürich' }),
      node('company', 'other', { name: ['no text'] }),
    ]);
  });

  it('has an exact match first, with score 1, without regard to case', async () => {
    const { candidates, truncated } = await resolve({ text: 'aCME' });
    expect(candidates.map(({ key, score }) => [key, score])).toEqual([
      ['Acme', 1],
      ['acme-holding', 0.99],
    ]);
    expect(truncated).toBe(false);
    expect((await resolve({ text: 'acme holding of zürich' })).candidates[0]).toMatchObject({
      key: 'acme-holding',
      score: 1,
    });
  });

  it('finds what is written a little differently, of one type where it is given', async () => {
    const [found] = (await resolve({ text: 'Jon Smyth' })).candidates;
    expect(found).toMatchObject({ key: 'john', type: 'person', properties: { name: 'John Smith' } });
    expect(found?.score).toBeGreaterThan(0.3);
    expect(found?.score).toBeLessThan(1);
    expect((await resolve({ text: 'Jon Smyth', type: 'company' })).candidates).toEqual([]);
    expect((await resolve({ text: 'nothing like it' })).candidates).toEqual([]);
  });

  it('says when there are further candidates', async () => {
    const { candidates, truncated } = await resolve({ text: 'acme', limit: 1 });
    expect(candidates.map(({ key }) => key)).toEqual(['Acme']);
    expect(truncated).toBe(true);
  });

  it('follows a change of the name', async () => {
    await write([node('person', 'john', { name: 'Johanna' })]);
    expect((await resolve({ text: 'John Smith' })).candidates.map(({ score }) => score)).not.toContain(1);
    expect((await resolve({ text: 'johanna' })).candidates[0]).toMatchObject({ key: 'john', score: 1 });
  });

  it.each([['!'], ['%_'], ['a'], ["'"], ['ß'], ['\\'], ['日本']])('takes %s for a text', async (text) => {
    await write([node('odd', text)]);
    expect((await resolve({ text })).candidates[0]).toMatchObject({ key: text, score: 1 });
  });
});

describe('discovering', () => {
  it('counts types, relations with the types that they join, and properties', async () => {
    await write([
      node('person', 'a', { name: 'A', age: 1 }),
      node('person', 'b', { name: 'B' }),
      node('team', 't'),
    ]);
    const at = (type: string, key: string) => ({ type, key });
    await relate(at('person', 'a'), 'member_of', at('team', 't'));
    await relate(at('person', 'b'), 'member_of', at('team', 't'));
    await relate(at('person', 'a'), 'knows', at('person', 'b'));
    expect(await discover()).toEqual({
      types: [
        {
          type: 'person',
          nodes: 2,
          properties: [
            { name: 'name', nodes: 2 },
            { name: 'age', nodes: 1 },
          ],
        },
        { type: 'team', nodes: 1, properties: [] },
      ],
      relations: [
        { relation: 'member_of', edges: 2, joins: [{ from_type: 'person', to_type: 'team', edges: 2 }] },
        { relation: 'knows', edges: 1, joins: [{ from_type: 'person', to_type: 'person', edges: 1 }] },
      ],
      sampled_nodes: 200,
      truncated: false,
    });
    expect(await discover({ type: 'team' })).toMatchObject({
      types: [{ type: 'team', nodes: 1 }],
      relations: [{ relation: 'member_of', edges: 2 }],
    });
    expect(await discover({ type: 'none' })).toMatchObject({ types: [], relations: [], truncated: false });
  });

  it('is bounded, and says so', async () => {
    await write(Array.from({ length: 60 }, (_, at) => node(`t${at}`, 'k')));
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, at]));
    await write([node('t0', 'k', many)]);
    const found = await discover();
    expect(found['types']).toHaveLength(50);
    expect(found['truncated']).toBe(true);
    expect(await discover({ type: 't0' })).toMatchObject({ truncated: true });
  });
});
