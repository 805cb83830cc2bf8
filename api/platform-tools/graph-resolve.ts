import * as z from 'zod';
import { graphLimits, graphNode, nodeKey, nodeType } from '../../contract/graph.ts';
import { reads } from '../../contract/platform-tools.ts';
import { resolveNodes } from '../../store/graph/resolve.ts';
import { readWithin } from '../../store/read-within.ts';
import { nodeBytes, writtenByOthers } from './graph-fields.ts';
import { defineTool, readLimitMs } from './tool.ts';

const defaultLimit = 10;

export const graphResolve = defineTool({
  name: 'graph_resolve',
  title: 'Find a node by its name',
  annotations: reads,
  description: `Finds the nodes of the graph that a text probably means, by their key and their property "name", without regard to case. A score of 1 is an exact match; less says how much of the text is in the key or name. Use it before graph_write, so that one thing is not written under two keys. ${writtenByOthers}`,
  input: z.strictObject({
    text: nodeKey.describe('The name to look for'),
    type: nodeType.optional(),
    limit: z
      .int()
      .min(1)
      .max(graphLimits.candidates)
      .optional()
      .describe(`At most this many candidates; ${defaultLimit} unless given`),
  }),
  output: z.strictObject({
    candidates: z
      .array(graphNode.extend({ score: z.number().min(0).max(1) }))
      .describe('The best ones first'),
    truncated: z.boolean().describe('There are further candidates'),
  }),
  example: {
    input: { text: 'Ada Lovelance', type: 'person', limit: 3 },
    output: {
      candidates: [
        {
          id: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
          type: 'person',
          key: 'ada@example.com',
          properties: { name: 'Ada Lovelace', role: 'engineer' },
          updated_at: '2026-03-01T12:00:00.000Z',
          updated_by_session: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
          score: 0.714,
        },
      ],
      truncated: false,
    },
  },
  run({ text, type, limit = defaultLimit }, { workspace_id }, { db }) {
    return readWithin(db, readLimitMs, (trx) =>
      resolveNodes(trx, workspace_id, { text, type }, { limit, nodeBytes }),
    );
  },
});
