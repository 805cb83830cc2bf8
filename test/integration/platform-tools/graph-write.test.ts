/** `graph_write` and `graph_relate` on a real database: what they write, and what they refuse. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { graphCalls, node } from './graph-calls.ts';

let tools: TestTools;
let caller: ToolCaller;
const { write, relate, query, failure } = graphCalls(
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

describe('writing', () => {
  it('creates nodes, answers in order, and replaces what they had when they are written again', async () => {
    const first = await write([node('team', 'z', { size: 3, open: true }), node('person', 'a')]);
    expect(first.map(({ created }) => created)).toEqual([true, true]);
    const colleague = await tools.colleague(caller);
    const again = await write([node('person', 'b'), node('team', 'z', { size: 4 })], colleague);
    expect(again).toEqual([
      { id: expect.any(String), created: true },
      { id: first[0]?.id, created: false },
    ]);
    const { nodes } = await query({ match: { type: 'team' } });
    expect(nodes).toEqual([
      expect.objectContaining({ key: 'z', properties: { size: 4 }, updated_by_session: colleague.id }),
    ]);
    const [row] = await tools.db('graph_nodes').where({ workspace_id: caller.workspace_id, type: 'team' });
    expect(row).toMatchObject({ created_by_session: caller.id, updated_by_session: colleague.id });
  });

  it('keeps every JSON value as it was written', async () => {
    const properties = {
      text: 'é 😀 \u2028 "\\ \n',
      none: null,
      numbers: [0, -1.5, 1e-7, 9007199254740991],
      nested: { deep: [{ er: [] }] },
      '': undefined,
      'a b': { __proto: 1 },
    };
    const { '': _, ...stored } = properties;
    await write([node('a', 'b', stored)]);
    expect((await query({ match: {} })).nodes[0]?.properties).toEqual(stored);
  });

  it('writes all or none', async () => {
    await failure('graph_write', { nodes: [node('a', 'b'), node('a', 'x'.repeat(513))] });
    expect(await query({ match: {} })).toEqual({ nodes: [], edges: [], truncated: false });
  });

  it.each([
    ['no nodes', { nodes: [] }, 'nodes'],
    ['101 nodes', { nodes: Array.from({ length: 101 }, (_, at) => node('a', String(at))) }, 'nodes'],
    ['one node twice', { nodes: [node('a', 'b'), node('a', 'b', { c: 1 })] }, 'nodes.1: has the type'],
    ['an empty type', { nodes: [node('', 'b')] }, 'nodes.0.type'],
    ['a long type', { nodes: [node('x'.repeat(65), 'b')] }, 'nodes.0.type'],
    ['a control character', { nodes: [node('a', 'b\u0007c')] }, 'nodes.0.key'],
    ['NUL', { nodes: [node('a', 'b\0')] }, 'nodes.0.key'],
    ['half a surrogate pair', { nodes: [node('a', 'b\ud800')] }, 'nodes.0.key'],
    ['NUL in a property', { nodes: [node('a', 'b', { c: ['\0'] })] }, 'nodes.0.properties.c.0'],
    ['half a pair in a property', { nodes: [node('a', 'b', { c: { d: '\udc00' } })] }, 'properties.c.d'],
    ['NUL in a name', { nodes: [node('a', 'b', { c: { 'd\0': 1 } })] }, 'nodes.0.properties.c'],
    [
      'infinity',
      { nodes: [node('a', 'b', JSON.parse('{"c":1e400}'))] },
      'nodes.0.properties.c: is too large',
    ],
    [
      'a whole number that loses digits',
      { nodes: [node('a', 'b', JSON.parse('{"c":9007199254740993}'))] },
      'nodes.0.properties.c: would lose digits',
    ],
    ['17 KiB', { nodes: [node('a', 'b', { c: 'é'.repeat(8200) })] }, 'nodes.0.properties: must have 16384'],
    ['a long name', { nodes: [node('a', 'b', { ['c'.repeat(65)]: 1 })] }, 'nodes.0.properties'],
    ['a list for properties', { nodes: [{ type: 'a', key: 'b', properties: [] }] }, 'nodes.0.properties'],
    ['no properties', { nodes: [{ type: 'a', key: 'b' }] }, 'nodes.0.properties'],
    ['an unknown field', { nodes: [{ ...node('a', 'b'), label: 'c' }] }, 'nodes.0.label'],
    ['something else', [], ''],
  ])('refuses %s, and names the field', async (_what, given, message) => {
    expect(await failure('graph_write', given)).toEqual({
      status: 'failed',
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
    expect((await query({ match: {} })).nodes).toEqual([]);
  });

  it('takes turns: concurrent writers of the same nodes write each once, and none fails', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `n${at}`);
    const others = await Promise.all(Array.from({ length: 5 }, () => tools.colleague(caller)));
    const answers = await Promise.all(
      others.map((by, at) => {
        const order = at % 2 === 0 ? names : names.toReversed();
        return write(
          order.map((name) => node('a', name, { by: at })),
          by,
        );
      }),
    );
    const created = answers.flat().filter((each) => each.created);
    expect(created).toHaveLength(40);
    expect(new Set(answers.flat().map(({ id }) => id)).size).toBe(40);
    expect(
      await tools.db('graphs').where({ workspace_id: caller.workspace_id }).first('nodes', 'edges'),
    ).toEqual({ nodes: 40, edges: 0 });
    const edges = await Promise.all(
      others.map((by) => relate({ type: 'a', key: 'n0' }, 'next', { type: 'a', key: 'n1' }, by)),
    );
    expect(new Set(edges.map(({ edge_id }) => edge_id)).size).toBe(1);
    expect(edges.filter((each) => each.created)).toHaveLength(1);
  });

  it('has a quota of nodes and of edges; what is there can still be written', async () => {
    const small = await openTools({
      LIMIT_GRAPH_NODES_PER_WORKSPACE: '2',
      LIMIT_GRAPH_EDGES_PER_WORKSPACE: '1',
    });
    const by = await small.caller();
    const call = (name: string, given: unknown) => small.call(by, name, given);
    const one = { type: 'a', key: '1' };
    const two = { type: 'a', key: '2' };
    expect(await call('graph_write', { nodes: [node('a', '1'), node('a', '2')] })).toMatchObject({
      status: 'ok',
    });
    expect(await call('graph_write', { nodes: [node('a', '1', { b: 1 }), node('a', '3')] })).toEqual({
      status: 'failed',
      code: 'limit_reached',
      message: 'The limit is 2 nodes in the graph of a workspace',
    });
    expect(await call('graph_write', { nodes: [node('a', '1', { b: 2 })] })).toMatchObject({ status: 'ok' });
    expect(await call('graph_relate', { from: one, relation: 'r', to: two })).toMatchObject({ status: 'ok' });
    expect(await call('graph_relate', { from: two, relation: 'r', to: one })).toMatchObject({
      code: 'limit_reached',
    });
    expect(await call('graph_relate', { from: one, relation: 'r', to: two })).toMatchObject({ status: 'ok' });
    expect(await small.db('graphs').first('nodes', 'edges')).toEqual({ nodes: 2, edges: 1 });
    await small.close();
  });
});

describe('relating', () => {
  it('writes an edge by ids or by type and key, once for each relation and direction', async () => {
    const [a, b] = await write([node('t', 'a'), node('t', 'b')]);
    const edge = await relate({ id: a?.id }, 'knows', { type: 't', key: 'b' });
    expect(edge).toEqual({ edge_id: expect.any(String), created: true });
    const again = { from: { id: a?.id }, relation: 'knows', to: { id: b?.id }, properties: { since: 1 } };
    expect(await tools.ok(caller, 'graph_relate', again)).toEqual({ edge_id: edge.edge_id, created: false });
    expect((await relate({ id: b?.id }, 'knows', { id: a?.id })).created).toBe(true);
    expect((await relate({ id: a?.id }, 'likes', { id: b?.id })).created).toBe(true);
    const found = await query({
      match: { key: 'a' },
      traverse: [{ relation: 'knows', direction: 'out', depth: 1 }],
    });
    expect(found.edges[0]).toMatchObject({
      id: edge.edge_id,
      from: a?.id,
      to: b?.id,
      properties: { since: 1 },
    });
  });

  it.each([
    ['an id that nobody wrote', { id: randomUUID() }],
    ['a key that nobody wrote', { type: 't', key: 'x' }],
  ])('answers not_found for %s, and names the end', async (_what, unknown) => {
    const [a] = await write([node('t', 'a')]);
    const known = { id: a?.id };
    expect(await failure('graph_relate', { from: unknown, relation: 'r', to: known })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('from: '),
    });
    expect(await failure('graph_relate', { from: known, relation: 'r', to: unknown })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('to: '),
    });
  });

  it.each([
    ['nothing', {}],
    ['a type without a key', { type: 't' }],
    ['an id and a key', { id: randomUUID(), type: 't', key: 'a' }],
    ['an id that is none', { id: "1' or true --" }],
  ])('refuses an end that is %s', async (_what, from) => {
    const given = { from, relation: 'r', to: { type: 't', key: 'a' } };
    expect(await failure('graph_relate', given)).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('from'),
    });
  });

  it('refuses properties beyond 4 KiB', async () => {
    const end = { type: 't', key: 'a' };
    await write([node('t', 'a')]);
    const given = { from: end, relation: 'r', to: end, properties: { a: 'x'.repeat(4096) } };
    expect(await failure('graph_relate', given)).toMatchObject({ code: 'validation_failed' });
  });
});
