import * as z from 'zod';
import { nodeType } from '../../contract/graph.ts';
import { reads } from '../../contract/platform-tools.ts';
import type { Db } from '../../store/database.ts';
import {
  countJoins,
  countProperties,
  countTypes,
  type JoinCount,
  type PropertyCount,
  type TypeCount,
} from '../../store/graph/discover.ts';
import { readWithin } from '../../store/read-within.ts';
import { writtenByOthers } from './graph-fields.ts';
import { defineTool, readLimitMs } from './tool.ts';

/** Names are up to 64 characters, so all of these are within an answer. */
const most = { types: 50, properties: 20, relations: 50, joins: 5 };
const sampledNodes = 200;

const count = z.int().positive();
const output = z.strictObject({
  types: z
    .array(
      z.strictObject({
        type: z.string(),
        nodes: count,
        properties: z
          .array(z.strictObject({ name: z.string(), nodes: count }))
          .describe('Names of properties, with how many of the sampled nodes have them'),
      }),
    )
    .describe('The most frequent types first'),
  relations: z
    .array(
      z.strictObject({
        relation: z.string(),
        edges: count,
        joins: z
          .array(z.strictObject({ from_type: z.string(), to_type: z.string(), edges: count }))
          .describe('The types that it joins'),
      }),
    )
    .describe('The most frequent relations first'),
  sampled_nodes: z
    .int()
    .describe('Properties are counted in at most this many nodes of each type, the first by key'),
  truncated: z.boolean().describe('There are further types, properties, relations or joins'),
});

export const graphDiscover = defineTool({
  name: 'graph_discover',
  title: 'See what the graph consists of',
  annotations: reads,
  description: `Says which types of nodes and which relations the graph has, how many of each, which types the relations join, and which properties nodes have. Call it before you write or query a graph that you do not know, so that you use its names. ${writtenByOthers}`,
  input: z.strictObject({
    type: nodeType.optional().describe('This type alone, and the relations of its nodes'),
  }),
  output,
  example: {
    input: { type: 'person' },
    output: {
      types: [
        {
          type: 'person',
          nodes: 12,
          properties: [
            { name: 'name', nodes: 12 },
            { name: 'role', nodes: 7 },
          ],
        },
      ],
      relations: [
        {
          relation: 'member_of',
          edges: 14,
          joins: [{ from_type: 'person', to_type: 'team', edges: 14 }],
        },
      ],
      sampled_nodes: sampledNodes,
      truncated: false,
    },
  },
  run: ({ type }, { workspace_id }, { db }) => discover(db, workspace_id, type),
});

/** Each is read with one more than is shown, which says that there are further ones. */
function discover(db: Db, workspaceId: string, type: string | undefined): Promise<z.input<typeof output>> {
  return readWithin(db, readLimitMs, async (trx) => {
    const found = await countTypes(trx, workspaceId, { type, limit: most.types + 1 });
    const types = found.slice(0, most.types);
    const names = types.map((each) => each.type);
    const properties = await countProperties(trx, workspaceId, names, {
      sample: sampledNodes,
      limit: most.properties + 1,
    });
    const joins = await countJoins(trx, workspaceId, {
      type,
      relations: most.relations + 1,
      joins: most.joins + 1,
    });
    const relations = [...new Set(joins.map(({ relation }) => relation))];
    const truncated =
      found.length > most.types ||
      relations.length > most.relations ||
      properties.some(({ place }) => place > most.properties) ||
      joins.some(({ place }) => place > most.joins);
    return {
      types: types.map((each) => presentType(each, properties)),
      relations: relations.slice(0, most.relations).map((relation) => presentRelation(relation, joins)),
      sampled_nodes: sampledNodes,
      truncated,
    };
  });
}

const presentType = ({ type, nodes }: TypeCount, properties: readonly PropertyCount[]) => ({
  type,
  nodes,
  properties: properties
    .filter((property) => property.type === type && property.place <= most.properties)
    .map((property) => ({ name: property.name, nodes: property.nodes })),
});

function presentRelation(relation: string, all: readonly JoinCount[]) {
  const joins = all.filter((join) => join.relation === relation);
  return {
    relation,
    edges: joins[0]?.total ?? 0,
    joins: joins
      .filter(({ place }) => place <= most.joins)
      .map(({ from_type, to_type, edges }) => ({ from_type, to_type, edges })),
  };
}
