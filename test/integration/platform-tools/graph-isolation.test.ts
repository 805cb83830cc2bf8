/** What must not cross: workspaces, SQL in text, and an agent's text in the log. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
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

describe('another workspace', () => {
  it('sees nothing of it, and reaches nothing in it', async () => {
    const [mine] = await write([node('secret', 'plan', { name: 'the plan' }), node('secret', 'other')]);
    await relate({ id: mine?.id }, 'hides', { type: 'secret', key: 'other' });
    const stranger = await tools.caller();
    const [theirs] = await write([node('secret', 'plan')], stranger);
    expect(theirs?.id).not.toBe(mine?.id);
    expect(theirs?.created).toBe(true);
    const everything = { match: {}, traverse: [{ direction: 'both', depth: 8 }] };
    expect((await query(everything, stranger)).nodes.map(({ id }) => id)).toEqual([theirs?.id]);
    expect((await query({ match: { ids: [mine?.id] } }, stranger)).nodes).toEqual([]);
    expect((await resolve({ text: 'the plan' }, stranger)).candidates.map(({ id }) => id)).not.toContain(
      mine?.id,
    );
    expect(await discover({}, stranger)).toMatchObject({ types: [{ nodes: 1 }], relations: [] });
    for (const ends of [
      { from: { id: mine?.id }, to: { id: theirs?.id } },
      { from: { id: theirs?.id }, to: { id: mine?.id } },
    ]) {
      expect(await failure('graph_relate', { ...ends, relation: 'r' }, stranger)).toMatchObject({
        code: 'not_found',
      });
    }
    const crossing = {
      ...{ workspace_id: stranger.workspace_id, from_id: theirs?.id ?? '', to_id: mine?.id ?? '' },
      relation: 'r',
      ...{ properties: '{}', created_by_session: stranger.id, updated_by_session: stranger.id },
    };
    await expect(tools.db('graph_edges').insert(crossing)).rejects.toMatchObject({ code: '23503' });
  });

  it('keeps its graph when another is deleted with its workspace', async () => {
    const stranger = await tools.caller();
    await write([node('t', 'a')], stranger);
    await write([node('t', 'a'), node('t', 'b')]);
    await relate({ type: 't', key: 'a' }, 'r', { type: 't', key: 'b' });
    const { workspace_id } = caller;
    await tools.db('workspaces').where({ id: workspace_id }).delete();
    for (const table of ['graphs', 'graph_nodes', 'graph_edges'] as const) {
      expect(await tools.db(table).where({ workspace_id })).toEqual([]);
    }
    expect((await query({ match: {} }, stranger)).nodes).toHaveLength(1);
  });
});

describe('text that looks like SQL, or like a placeholder', () => {
  it.each([
    "'; drop table graph_nodes; --",
    '") union select * from workspace_secrets --',
    '$1',
    ':workspaceId',
    '?',
    '??',
    '\\',
    '%',
    '{"a":1}',
    'null',
  ])('is a text: %s', async (text) => {
    const other = { type: 'plain', key: 'plain' };
    await write([node(text.slice(0, 64), text, { [text]: text, name: text }), node('plain', 'plain')]);
    const self = { type: text.slice(0, 64), key: text };
    await relate(self, text, other);
    const found = await query({
      match: { type: self.type, key: text, where: { [text]: text } },
      traverse: [{ relation: text, direction: 'out', depth: 1 }],
    });
    expect(keysOf(found)).toEqual([text, 'plain']);
    expect(found.edges[0]?.relation).toBe(text);
    expect((await resolve({ text, type: self.type })).candidates[0]).toMatchObject({ key: text, score: 1 });
    expect(await discover({ type: self.type })).toMatchObject({ relations: [{ relation: text }] });
    expect(await tools.db('graph_nodes').where({ workspace_id: caller.workspace_id })).toHaveLength(2);
  });
});

it('tells nothing of a fault but that there was one, and logs no text of the agent', async () => {
  await tools.db.raw('alter table graph_nodes rename to hidden_nodes');
  const answer = await failure('graph_write', { nodes: [node('t', 'private words')] });
  await tools.db.raw('alter table hidden_nodes rename to graph_nodes');
  expect(answer).toEqual({
    status: 'failed',
    code: 'internal_error',
    message: 'The platform could not do this; try again later',
  });
  expect(tools.logged()).toContain('"code":"42P01"');
  expect(tools.logged()).toContain(caller.id);
  expect(tools.logged()).not.toContain('private words');
});
