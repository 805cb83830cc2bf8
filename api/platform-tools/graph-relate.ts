import * as z from 'zod';
import { relateNodes } from '../../commands/graph/write.ts';
import { edgeProperties, relation } from '../../contract/graph.ts';
import { uuid } from '../../contract/names.ts';
import { replaces } from '../../contract/platform-tools.ts';
import { nodeReference, referenceOf } from './graph-fields.ts';
import { defineTool, ToolFailure } from './tool.ts';

export const graphRelate = defineTool({
  name: 'graph_relate',
  title: 'Relate two nodes of the graph',
  annotations: replaces,
  description:
    'Writes an edge from one node of the graph to another, or to itself. Both have to exist: write them with graph_write first. Between two nodes there is one edge of each relation and direction; one that exists gets the properties given here in place of those that it had.',
  input: z.strictObject({
    from: nodeReference,
    relation: relation.describe('How the first node is related to the second one, such as "member_of"'),
    to: nodeReference,
    properties: edgeProperties.optional().describe('JSON values by name, 4 KiB at most'),
  }),
  output: z.strictObject({
    edge_id: uuid,
    created: z.boolean().describe('False where the edge was there before'),
  }),
  example: {
    input: {
      from: { type: 'person', key: 'ada@example.com' },
      relation: 'member_of',
      to: { id: '0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d' },
      properties: { since: 1843 },
    },
    output: { edge_id: '3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f', created: true },
  },
  async run({ from, relation, to, properties = {} }, caller, { db, config }) {
    const writer = { workspaceId: caller.workspace_id, sessionId: caller.id };
    const edge = { from: referenceOf(from), relation, to: referenceOf(to), properties };
    const related = await relateNodes(db, writer, edge, { limit: config.LIMIT_GRAPH_EDGES_PER_WORKSPACE });
    if (related.result === 'not_found') {
      throw new ToolFailure(
        'not_found',
        `${related.which}: the graph of this workspace has no such node; write it with graph_write first`,
      );
    }
    return { edge_id: related.edge.id, created: related.edge.created };
  },
});
