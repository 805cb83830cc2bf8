import * as z from 'zod';
import { graphEdge, graphLimits, graphNode, nodeKey, nodeType, traversalStep } from '../../contract/graph.ts';
import { uuid } from '../../contract/names.ts';
import { reads } from '../../contract/platform-tools.ts';
import { comparedValues, conditions } from '../../contract/stored-data.ts';
import { queryGraph } from '../../store/graph/query.ts';
import { readWithin } from '../../store/read-within.ts';
import { edgeBytes, nodeBytes, writtenByOthers } from './graph-fields.ts';
import { defineTool, readLimitMs } from './tool.ts';

const defaultLimit = 100;

const where = conditions.describe(
  `Properties that a node has, each with exactly this value: ${comparedValues}`,
);

const match = z
  .strictObject({
    type: nodeType.optional(),
    key: nodeKey.optional(),
    ids: z.array(uuid).min(1).max(graphLimits.idsPerMatch).optional(),
    where: where.optional(),
  })
  .describe('Which nodes to start from: those that fit all that is given; without anything, all nodes');

const traverse = z
  .array(traversalStep)
  .max(graphLimits.depth)
  .refine(
    (steps) => steps.reduce((sum, { depth }) => sum + depth, 0) <= graphLimits.depth,
    `must have a depth of ${graphLimits.depth} at most, all steps together`,
  )
  .describe(
    'Steps, each from where the one before arrived: along edges of the relation (of any without one), forward (out), backward (in) or both, over 1 to `depth` edges',
  );

export const graphQuery = defineTool({
  name: 'graph_query',
  title: 'Read the graph',
  annotations: reads,
  description: `Reads nodes of the graph, and what they are related to. Nodes come nearest first, then by type and key; edges are those that were followed between these nodes. \`truncated\` says that more was found than the answer holds: ask for less, or for one type or relation. ${writtenByOthers}`,
  input: z.strictObject({
    match,
    traverse: traverse.optional(),
    limit: z
      .int()
      .min(1)
      .max(graphLimits.rows)
      .optional()
      .describe(`At most this many nodes, and as many edges; ${defaultLimit} unless given`),
  }),
  output: z.strictObject({
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    truncated: z.boolean(),
  }),
  example: {
    input: {
      match: { type: 'person', where: { role: 'engineer' } },
      traverse: [{ relation: 'member_of', direction: 'out', depth: 1 }],
      limit: 50,
    },
    output: {
      nodes: [
        {
          id: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
          type: 'person',
          key: 'ada@example.com',
          properties: { name: 'Ada Lovelace', role: 'engineer' },
          updated_at: '2026-03-01T12:00:00.000Z',
          updated_by_session: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
        },
        {
          id: '0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d',
          type: 'team',
          key: 'engines',
          properties: {},
          updated_at: '2026-03-01T12:00:00.000Z',
          updated_by_session: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
        },
      ],
      edges: [
        {
          id: '3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f',
          from: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
          relation: 'member_of',
          to: '0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d',
          properties: { since: 1843 },
          updated_at: '2026-03-01T12:00:01.000Z',
          updated_by_session: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
        },
      ],
      truncated: false,
    },
  },
  run({ match, traverse = [], limit = defaultLimit }, { workspace_id }, { db }) {
    return readWithin(db, readLimitMs, (trx) =>
      queryGraph(trx, workspace_id, { match, traverse }, { limit, nodeBytes, edgeBytes }),
    );
  },
});
