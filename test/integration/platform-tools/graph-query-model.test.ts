/** `graph_query` beside a naive reading of its rule: every walk is tried, one edge after the other. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import type { GraphEdge, GraphNode } from '../../../contract/graph.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { checkAsyncProperty } from '../../support/property.ts';

let tools: TestTools;
let caller: ToolCaller;

beforeAll(async () => {
  tools = await openTools();
  caller = await tools.caller();
});
afterAll(() => tools.close());

const relations = ['knows', 'owns'] as const;
const directions = ['out', 'in', 'both'] as const;
const maxNodes = 6;

interface Edge {
  from: string;
  relation: string;
  to: string;
}
interface Step {
  relation?: string;
  direction: (typeof directions)[number];
  depth: number;
}

const edge = fc.record({
  from: fc.nat(maxNodes - 1),
  relation: fc.constantFrom(...relations),
  to: fc.nat(maxNodes - 1),
});
const step = fc.record(
  {
    relation: fc.constantFrom(...relations),
    direction: fc.constantFrom(...directions),
    depth: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['direction', 'depth'] },
);
const graph = fc.record({
  types: fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: maxNodes }),
  edges: fc.uniqueArray(edge, {
    maxLength: 9,
    selector: ({ from, relation, to }) => `${from} ${relation} ${to}`,
  }),
  steps: fc
    .array(step, { maxLength: 3 })
    .filter((steps) => steps.reduce((sum, { depth }) => sum + depth, 0) <= 4),
  type: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 8 }),
});

/**
 * The distance of everything that a walk from a start node meets: of a node, and of an edge that
 * leads on from such a node.
 */
function meet(starts: readonly string[], edges: readonly Edge[], steps: readonly Step[]) {
  const nodes = new Map<string, number>();
  const followed = new Map<Edge, number>();
  const note = <Key>(found: Map<Key, number>, key: Key, distance: number) =>
    found.set(key, Math.min(distance, found.get(key) ?? Number.POSITIVE_INFINITY));
  const walk = (node: string, at: number, hops: number, distance: number): void => {
    note(nodes, node, distance);
    const isWithin = at >= 0 && hops < (steps[at]?.depth ?? 0);
    for (const next of [...(isWithin ? [at] : []), at + 1]) {
      const step = steps[next];
      if (step === undefined) {
        continue;
      }
      for (const each of edges) {
        if (step.relation !== undefined && step.relation !== each.relation) {
          continue;
        }
        const ends = [
          ...(step.direction !== 'in' && each.from === node ? [each.to] : []),
          ...(step.direction !== 'out' && each.to === node ? [each.from] : []),
        ];
        for (const end of ends) {
          note(followed, each, distance);
          walk(end, next, next === at ? hops + 1 : 1, distance + 1);
        }
      }
    }
  };
  for (const start of starts) {
    walk(start, -1, 0, 0);
  }
  return { nodes, followed };
}

const compare = (left: readonly (string | number)[], right: readonly (string | number)[]): number => {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
};

it('finds what the rule says, in its order, and says when it left something out', async () => {
  await checkAsyncProperty(
    fc.asyncProperty(graph, async ({ types, edges, steps, type, limit }) => {
      await tools.db('graph_nodes').where({ workspace_id: caller.workspace_id }).delete();
      const named = types.map((each, at) => ({ type: each, key: `n${at}`, properties: {} }));
      const { nodes: written } = await tools.ok<{ nodes: { id: string }[] }>(caller, 'graph_write', {
        nodes: named,
      });
      const ids = written.map(({ id }) => id);
      const related: Edge[] = edges.flatMap(({ from, relation, to }) => {
        const [start, end] = [ids[from], ids[to]];
        return start === undefined || end === undefined ? [] : [{ from: start, relation, to: end }];
      });
      for (const { from, relation, to } of related) {
        await tools.ok(caller, 'graph_relate', { from: { id: from }, relation, to: { id: to } });
      }
      const found = await tools.ok<{ nodes: GraphNode[]; edges: GraphEdge[]; truncated: boolean }>(
        caller,
        'graph_query',
        { match: type === undefined ? {} : { type }, traverse: steps, limit },
      );

      const starts = ids.filter((_, at) => type === undefined || types[at] === type);
      const met = meet(starts, related, steps);
      const nameOf = (id: string) => {
        const at = ids.indexOf(id);
        return [types[at] ?? '', `n${at}`];
      };
      const nodes = [...met.nodes]
        .toSorted(([a, near], [b, far]) => compare([near, ...nameOf(a)], [far, ...nameOf(b)]))
        .map(([id]) => id);
      expect(found.nodes.map(({ id }) => id)).toEqual(nodes.slice(0, limit));

      const kept = new Set(nodes.slice(0, limit));
      const followed = [...met.followed]
        .toSorted(([a, near], [b, far]) =>
          compare([near, a.relation, a.from, a.to], [far, b.relation, b.from, b.to]),
        )
        .map(([each]) => each);
      const shown = found.edges.map(({ from, relation, to }) => ({ from, relation, to }));
      if (nodes.length <= limit) {
        expect(shown).toEqual(followed.slice(0, limit));
        expect(found.truncated).toBe(followed.length > limit);
      } else {
        expect(found.truncated).toBe(true);
        expect(shown.every(({ from, to }) => kept.has(from) && kept.has(to))).toBe(true);
        expect(followed).toEqual(expect.arrayContaining(shown));
      }
    }),
    { runs: 60 },
  );
});
