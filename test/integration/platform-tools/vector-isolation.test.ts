/** Collections of one workspace from another, and text that looks like SQL. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
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

describe('another workspace', () => {
  it('sees nothing of a collection, and reaches nothing in it', async () => {
    const stranger = await tools.caller();
    await upsert('plans', [textItem('mine', 'the plan', { secret: true })]);
    expect(await list(stranger)).toEqual([]);
    for (const [name, given] of [
      ['vector_search', { text: 'the plan' }],
      ['vector_delete', { ids: ['mine'] }],
      ['vector_delete', { filter: {} }],
    ] as const) {
      const answer = await failure(name, { collection: 'plans', ...given }, stranger);
      // As of a collection that nobody wrote.
      expect(answer).toMatchObject({ code: 'not_found' });
    }
    await upsert('plans', [item('mine', [1, 0])], stranger);
    expect((await search({ collection: 'plans', vector: [1, 0] }, stranger)).matches).toEqual([
      { id: 'mine', score: 1, metadata: {} },
    ]);
    expect((await search({ collection: 'plans', text: 'the plan' })).matches).toMatchObject([
      { id: 'mine', metadata: { secret: true } },
    ]);
    expect(await remove({ collection: 'plans', filter: {} }, stranger)).toBe(1);
    expect(await list()).toMatchObject([{ name: 'plans', items: 1 }]);
  });

  it('has no item in a collection of this one, whatever a statement says', async () => {
    const stranger = await tools.caller();
    await upsert('plans', [item('a', [1])]);
    const collection = await tools
      .db('vector_collections')
      .where({ workspace_id: caller.workspace_id })
      .first('id');
    const crossing = {
      ...{ workspace_id: stranger.workspace_id, collection_id: collection?.id ?? '', id: 'b' },
      ...{ embedding: Buffer.alloc(4), metadata: '{}' },
      ...{ created_by_session: stranger.id, updated_by_session: stranger.id },
    };
    await expect(tools.db('vector_items').insert(crossing)).rejects.toMatchObject({ code: '23503' });
  });

  it('keeps its collections when another is deleted', async () => {
    const stranger = await tools.caller();
    await upsert('a', [item('x', [1])], stranger);
    await upsert('a', [item('x', [1])]);
    const { workspace_id } = caller;
    await tools.db('workspaces').where({ id: workspace_id }).delete();
    for (const table of ['vector_totals', 'vector_collections', 'vector_items'] as const) {
      expect(await tools.db(table).where({ workspace_id })).toEqual([]);
    }
    expect(await list(stranger)).toHaveLength(1);
  });
});

it.each([
  "'; drop table vector_items; --",
  '") union select * from workspace_secrets --',
  '$1',
  ':workspaceId',
  '?',
  '??',
  '\\',
  '%',
  '{"a":1}',
  'null',
  '\\x00',
])('a text that looks like SQL, or like a placeholder, is a text: %s', async (text) => {
  await upsert(text, [item(text, [1, 0], { [text]: text }), item('plain', [1, 0])]);
  const found = await search({ collection: text, vector: [1, 0], filter: { [text]: text } });
  expect(found.matches).toEqual([{ id: text, score: 1, metadata: { [text]: text } }]);
  expect(await list()).toMatchObject([{ name: text, items: 2 }]);
  expect(await remove({ collection: text, ids: [text] })).toBe(1);
  expect(idsOf(await search({ collection: text, vector: [1, 0] }))).toEqual(['plain']);
});

it('tells nothing of a fault but that there was one, and logs no text of the agent', async () => {
  await tools.db.raw('alter table vector_items rename to hidden_items');
  const given = { collection: 'a', items: [textItem('private id', 'private words', { private: 'value' })] };
  const answer = await failure('vector_upsert', given);
  await tools.db.raw('alter table hidden_items rename to vector_items');
  expect(answer).toMatchObject({ code: 'internal_error' });
  expect(tools.logged()).toContain('"code":"42P01"');
  expect(tools.logged()).not.toContain('private');
});
