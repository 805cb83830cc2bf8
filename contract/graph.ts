/**
 * The graph of a workspace: nodes and typed edges that the sessions of all its agents share. Their texts are
 * of agents, so they are untrusted wherever they are read
 * (docs/shared-data.md#what-agents-can-do-to-each-other).
 */
import * as z from 'zod';
import { timestamp, uuid } from './names.ts';
import { name, properties } from './stored-data.ts';

export const graphLimits = {
  nodesPerWrite: 100,
  typeLength: 64,
  keyLength: 512,
  nodePropertiesBytes: 16 * 1024,
  edgePropertiesBytes: 4 * 1024,
  idsPerMatch: 50,
  /** Edges from a start node to the farthest one. */
  depth: 8,
  /** Nodes of one answer, and edges. */
  rows: 500,
  candidates: 50,
} as const;

/** Also of an edge's ends. */
export const nodeType = name(graphLimits.typeLength);
export const nodeKey = name(graphLimits.keyLength);
export const relation = name(graphLimits.typeLength);

export const nodeProperties = properties(graphLimits.nodePropertiesBytes);
export const edgeProperties = properties(graphLimits.edgePropertiesBytes);

const stored = {
  properties: z.record(z.string(), z.unknown()),
  updated_at: timestamp,
  /** The session that wrote it last, which may be gone. */
  updated_by_session: uuid,
};
export const graphNode = z.strictObject({ id: uuid, type: z.string(), key: z.string(), ...stored });
export type GraphNode = z.infer<typeof graphNode>;
export const graphEdge = z.strictObject({
  id: uuid,
  from: uuid,
  relation: z.string(),
  to: uuid,
  ...stored,
});
export type GraphEdge = z.infer<typeof graphEdge>;

export const traversalStep = z.strictObject({
  relation: relation.optional(),
  direction: z.enum(['out', 'in', 'both']),
  depth: z.int().min(1).max(graphLimits.depth),
});
export type TraversalStep = z.infer<typeof traversalStep>;

/** How many nodes and edges a workspace's graph has, as its members see it. */
export const graphCounts = z.strictObject({
  nodes: z.int().nonnegative(),
  edges: z.int().nonnegative(),
  /** The most frequent ones first. */
  types: z.array(z.strictObject({ type: z.string(), nodes: z.int().positive() })),
  relations: z.array(z.strictObject({ relation: z.string(), edges: z.int().positive() })),
  /** There are further types or relations. */
  truncated: z.boolean(),
});
export type GraphCounts = z.infer<typeof graphCounts>;
