import * as z from 'zod';
import { writeNodes } from '../../commands/graph/write.ts';
import { graphLimits, nodeKey, nodeProperties, nodeType } from '../../contract/graph.ts';
import { uuid } from '../../contract/names.ts';
import { replaces } from '../../contract/platform-tools.ts';
import { defineTool } from './tool.ts';

const newNode = z.strictObject({
  type: nodeType.describe('What it is, such as "person"'),
  key: nodeKey.describe('What it is known by within its type, such as an e-mail address'),
  properties: nodeProperties.describe(
    'JSON values by name, 16 KiB at most; the property "name" is searched by graph_resolve',
  ),
});

/** The place of the first node that an earlier one names, too. */
function repeatedPlace(nodes: readonly { type: string; key: string }[]): number | null {
  const seen = new Set<string>();
  for (const [place, { type, key }] of nodes.entries()) {
    const name = JSON.stringify([type, key]);
    if (seen.has(name)) {
      return place;
    }
    seen.add(name);
  }
  return null;
}

export const graphWrite = defineTool({
  name: 'graph_write',
  title: 'Write nodes of the graph',
  annotations: replaces,
  description:
    'Writes up to 100 nodes into the graph that all agents of the workspace share. A node is known by its type and key: one that exists gets the properties given here in place of those that it had; any other is created. All are written, or none. Answers with the id of each node, in order.',
  input: z.strictObject({
    nodes: z
      .array(newNode)
      .min(1)
      .max(graphLimits.nodesPerWrite)
      .superRefine((nodes, context) => {
        const place = repeatedPlace(nodes);
        if (place !== null) {
          const message = 'has the type and key of an earlier one; give each node once';
          context.addIssue({ code: 'custom', path: [place], message });
        }
      }),
  }),
  output: z.strictObject({
    nodes: z.array(
      z.strictObject({ id: uuid, created: z.boolean().describe('False where the node was there before') }),
    ),
  }),
  example: {
    input: {
      nodes: [
        { type: 'person', key: 'ada@example.com', properties: { name: 'Ada Lovelace', role: 'engineer' } },
        { type: 'team', key: 'engines', properties: {} },
      ],
    },
    output: {
      nodes: [
        { id: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f', created: true },
        { id: '0a1b2c3d-4e5f-4a6b-9c7d-8e9f0a1b2c3d', created: false },
      ],
    },
  },
  async run({ nodes }, caller, { db, config }) {
    const writer = { workspaceId: caller.workspace_id, sessionId: caller.id };
    const limit = config.LIMIT_GRAPH_NODES_PER_WORKSPACE;
    return { nodes: await writeNodes(db, writer, nodes, { limit }) };
  },
});
