/** Calls of the graph's tools, for tests. */
import { expect } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import type { GraphEdge, GraphNode } from '../../../contract/graph.ts';
import type { PlatformToolAnswer } from '../../../contract/platform-tools.ts';
import type { TestTools } from '../../support/platform-tools.ts';

export interface Part {
  nodes: GraphNode[];
  edges: GraphEdge[];
  truncated: boolean;
}
export interface Resolved {
  candidates: (GraphNode & { score: number })[];
  truncated: boolean;
}

export const node = (type: string, key: string, properties: Record<string, unknown> = {}) => ({
  type,
  key,
  properties,
});
export const keysOf = ({ nodes }: Part) => nodes.map(({ key }) => key);

/**
 * The tools by short names; `by` is who calls, by default `current`. Both are asked for with each
 * call: tests open them later.
 */
export function graphCalls(opened: () => TestTools, current: () => ToolCaller) {
  return {
    write: async (nodes: unknown[], by = current()) =>
      (await opened().ok<{ nodes: { id: string; created: boolean }[] }>(by, 'graph_write', { nodes })).nodes,
    relate: (from: unknown, relation: string, to: unknown, by = current()) =>
      opened().ok<{ edge_id: string; created: boolean }>(by, 'graph_relate', { from, relation, to }),
    query: (given: unknown, by = current()) => opened().ok<Part>(by, 'graph_query', given),
    resolve: (given: unknown, by = current()) => opened().ok<Resolved>(by, 'graph_resolve', given),
    discover: (given: unknown = {}, by = current()) =>
      opened().ok<Record<string, unknown>>(by, 'graph_discover', given),
    failure: async (name: string, given: unknown, by = current()): Promise<PlatformToolAnswer> => {
      const answer = await opened().call(by, name, given);
      expect(answer.status).toBe('failed');
      return answer;
    },
  };
}
