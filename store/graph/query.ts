/**
 * Reads a part of a graph: the nodes that match, and what is reached from them, in one recursive statement.
 */
import * as z from 'zod';
import {
  type GraphEdge,
  type GraphNode,
  graphEdge,
  graphNode,
  type TraversalStep,
} from '../../contract/graph.ts';
import type { Conditions } from '../../contract/stored-data.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { edgeBytesOf, edgeJson, type GraphBounds, nodeBytesOf, nodeJson } from './write.ts';

export interface GraphMatch {
  type?: string | undefined;
  key?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Top-level properties and their values. */
  where?: Conditions | undefined;
}

export interface GraphQuery {
  match: GraphMatch;
  /** Each step begins where the one before arrived. */
  traverse: readonly TraversalStep[];
}

export interface GraphPart {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Nodes or edges were left out. */
  truncated: boolean;
}

const part = z.object({ nodes: z.array(graphNode), edges: z.array(graphEdge), truncated: z.boolean() });

/**
 * Nodes by their distance from those that match, then by type, key and id: the first `bounds.limit` of them.
 * Edges that were followed between these nodes, by distance, relation and ends. A node that is reached again,
 * in a cycle, is followed at most once for each step and distance, so the statement ends, and its work is
 * bounded by the edges of the graph and the depth.
 */
export async function queryGraph(
  trx: Transaction,
  workspaceId: string,
  { match, traverse }: GraphQuery,
  bounds: GraphBounds,
): Promise<GraphPart> {
  const steps = traverse.map(({ relation = null, direction, depth }, at) => ({
    ...{ step: at + 1, relation, direction, depth },
  }));
  const { conditions, values } = conditionsOf(match);
  const statement = trx.raw(queryStatement(conditions), {
    ...{ workspaceId, steps: JSON.stringify(steps), ...values },
    ...{ limit: bounds.limit, nodeBytes: bounds.nodeBytes, edgeBytes: bounds.edgeBytes },
  });
  return onlyRow(await readRows(statement, part));
}

/** The text of the conditions is ours; what an agent says is in the values. */
function conditionsOf({ type, key, ids, where }: GraphMatch) {
  const conditions = [
    'node.workspace_id = :workspaceId',
    ...(type === undefined ? [] : ['node.type = :type']),
    ...(key === undefined ? [] : ['node.key = :key']),
    ...(ids === undefined ? [] : ['node.id = any(cast(:ids as uuid[]))']),
    ...(where === undefined ? [] : ['node.properties @> cast(:where as jsonb)']),
  ];
  const values = {
    ...(type === undefined ? {} : { type }),
    ...(key === undefined ? {} : { key }),
    ...(ids === undefined ? {} : { ids: [...ids] }),
    ...(where === undefined ? {} : { where: JSON.stringify(where) }),
  };
  return { conditions: conditions.join(' and '), values };
}

/** From a node at `walk`, the step that it continues, or the next one. */
const stepFrom = `(steps.step = walk.step and walk.hop < steps.depth) or steps.step = walk.step + 1`;
const anyOrThis = 'steps.relation is null or edge.relation = steps.relation';

/**
 * A node is in `walk` once for each step and each number of edges within it. Each level keeps one node
 * more than the answer holds, in the order of the answer: what is beyond cannot be in it, and the one
 * more says that something is.
 */
const walkStatement = (conditions: string) => `
  recursive steps as (
    select * from jsonb_to_recordset(cast(:steps as jsonb))
      as step(step integer, relation text, direction text, depth integer)
  ), matching as (
    select node.id from graph_nodes node where ${conditions}
    order by node.type, node.key, node.id limit cast(:limit as integer) + 1
  ), walk(level, step, hop, id) as (
    select 0, 0, 0, matching.id from matching
    union
    select reached.level, reached.step, reached.hop, reached.id from (
      select walk.level + 1 as level, steps.step,
        case when steps.step = walk.step then walk.hop + 1 else 1 end as hop, node.id,
        dense_rank() over (order by node.type, node.key, node.id) as place
      from walk
      join steps on (${stepFrom})
      cross join lateral (
        select edge.to_id as id from graph_edges edge
        where steps.direction <> 'in' and edge.workspace_id = :workspaceId and edge.from_id = walk.id and (${anyOrThis})
        union
        select edge.from_id from graph_edges edge
        where steps.direction <> 'out' and edge.workspace_id = :workspaceId and edge.to_id = walk.id and (${anyOrThis})
      ) as next
      join graph_nodes node on node.workspace_id = :workspaceId and node.id = next.id
    ) as reached
    where reached.place <= cast(:limit as integer) + 1
  )`;

/** Edges from a node at `walk` to another of the answer, by the end at which they are entered. */
const followedFrom = ({ near, far, unless }: { near: string; far: string; unless: 'in' | 'out' }) => `
      select edge.id, walk.level
      from walk
      join kept near on near.id = walk.id
      join steps on (${stepFrom}) and steps.direction <> '${unless}'
      join graph_edges edge on edge.workspace_id = :workspaceId and edge.${near} = walk.id and (${anyOrThis})
      join kept far on far.id = edge.${far}`;

const queryStatement = (conditions: string) => `
  with ${walkStatement(conditions)}, found as (
    select walk.id, min(walk.level) as level from walk group by walk.id
  ), nearest as (
    select node.id, row_number() over (order by found.level, node.type, node.key, node.id) as place
    from found join graph_nodes node on node.workspace_id = :workspaceId and node.id = found.id
    order by place limit cast(:limit as integer) + 1
  ), measured as (
    select nearest.id, nearest.place, sum(${nodeBytesOf('node')}) over (order by nearest.place) as bytes
    from nearest join graph_nodes node on node.workspace_id = :workspaceId and node.id = nearest.id
  ), kept as (
    select id, place from measured
    where place = 1 or (place <= cast(:limit as integer) and bytes <= cast(:nodeBytes as bigint))
  ), followed as (
    select each.id, min(each.level) as level from (
      ${followedFrom({ near: 'from_id', far: 'to_id', unless: 'in' })}
      union all
      ${followedFrom({ near: 'to_id', far: 'from_id', unless: 'out' })}
    ) as each
    group by each.id
  ), nearest_edges as (
    select edge.id, row_number() over (order by followed.level, edge.relation, edge.from_id, edge.to_id) as place
    from followed join graph_edges edge on edge.workspace_id = :workspaceId and edge.id = followed.id
    order by place limit cast(:limit as integer) + 1
  ), measured_edges as (
    select nearest_edges.id, nearest_edges.place, sum(${edgeBytesOf('edge')}) over (order by nearest_edges.place) as bytes
    from nearest_edges join graph_edges edge on edge.workspace_id = :workspaceId and edge.id = nearest_edges.id
  ), kept_edges as (
    select id, place from measured_edges
    where place <= cast(:limit as integer) and bytes <= cast(:edgeBytes as bigint)
  )
  select
    (select coalesce(json_agg(${nodeJson('node')} order by kept.place), '[]')
      from kept join graph_nodes node on node.workspace_id = :workspaceId and node.id = kept.id) as nodes,
    (select coalesce(json_agg(${edgeJson('edge')} order by kept_edges.place), '[]')
      from kept_edges join graph_edges edge on edge.workspace_id = :workspaceId and edge.id = kept_edges.id) as edges,
    (select count(*) from measured) > (select count(*) from kept)
      or (select count(*) from measured_edges) > (select count(*) from kept_edges) as truncated`;
