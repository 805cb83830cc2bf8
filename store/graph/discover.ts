/** What a graph has: types, relations, properties, and how many. */
import * as z from 'zod';
import type { GraphCounts } from '../../contract/graph.ts';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readWithin } from '../read-within.ts';
import { readTotals } from './write.ts';

const typeCount = z.object({ type: z.string(), nodes: z.int() });
const relationCount = z.object({ relation: z.string(), edges: z.int() });
export type TypeCount = z.infer<typeof typeCount>;
type RelationCount = z.infer<typeof relationCount>;

/** The most frequent types, up to `limit`; of `type` alone where it is given. */
export function countTypes(
  trx: Transaction,
  workspaceId: string,
  { type, limit }: { type?: string | undefined; limit: number },
): Promise<TypeCount[]> {
  const query = trx('graph_nodes')
    .where({ workspace_id: workspaceId, ...(type === undefined ? {} : { type }) })
    .groupBy('type')
    .orderBy([{ column: 'nodes', order: 'desc' }, { column: 'type' }])
    .limit(limit)
    .select('type', trx.raw('count(*) as nodes'));
  return readRows(query, typeCount);
}

/** The most frequent relations, up to `limit`. */
function countRelations(
  trx: Transaction,
  workspaceId: string,
  { limit }: { limit: number },
): Promise<RelationCount[]> {
  const query = trx('graph_edges')
    .where({ workspace_id: workspaceId })
    .groupBy('relation')
    .orderBy([{ column: 'edges', order: 'desc' }, { column: 'relation' }])
    .limit(limit)
    .select('relation', trx.raw('count(*) as edges'));
  return readRows(query, relationCount);
}

const propertyCount = z.object({ type: z.string(), name: z.string(), nodes: z.int(), place: z.int() });
export type PropertyCount = z.infer<typeof propertyCount>;

/**
 * The most frequent properties of each type, up to `limit` of a type, among its first `sample` nodes by key.
 * `place` counts from 1 for each type.
 */
export function countProperties(
  trx: Transaction,
  workspaceId: string,
  types: readonly string[],
  { sample, limit }: { sample: number; limit: number },
): Promise<PropertyCount[]> {
  const statement = trx.raw(propertiesStatement, { workspaceId, types: [...types], sample, limit });
  return readRows(statement, propertyCount);
}

const propertiesStatement = `
  with counted as (
    select of_type.type, property.name, count(*) as nodes
    from unnest(cast(:types as text[])) as of_type(type)
    cross join lateral (
      select node.properties from graph_nodes node
      where node.workspace_id = :workspaceId and node.type = of_type.type
      order by node.key limit cast(:sample as integer)
    ) as sampled
    cross join lateral jsonb_object_keys(sampled.properties) as property(name)
    group by of_type.type, property.name
  ), placed as (
    select counted.*, row_number() over (partition by type order by nodes desc, name collate "C") as place from counted
  )
  select type, name, nodes, place from placed where place <= cast(:limit as integer) order by type collate "C", place`;

const joinCount = z.object({
  relation: z.string(),
  from_type: z.string(),
  to_type: z.string(),
  edges: z.int(),
  /** Of the relation. */
  total: z.int(),
  place: z.int(),
});
export type JoinCount = z.infer<typeof joinCount>;

/**
 * Which types the most frequent relations join: up to `relations` of them, and `joins` pairs of types of
 * each. Where `type` is given, of the edges that begin or end at it. `place` counts from 1 for each relation.
 */
export function countJoins(
  trx: Transaction,
  workspaceId: string,
  { type, relations, joins }: { type?: string | undefined; relations: number; joins: number },
): Promise<JoinCount[]> {
  const ofType = type === undefined ? '' : 'and (start.type = :type or finish.type = :type)';
  const statement = trx.raw(joinsStatement(ofType), {
    ...{ workspaceId, relations, joins },
    ...(type === undefined ? {} : { type }),
  });
  return readRows(statement, joinCount);
}

const joinsStatement = (ofType: string) => `
  with joined as (
    select edge.relation, start.type as from_type, finish.type as to_type, count(*) as edges
    from graph_edges edge
    join graph_nodes start on start.workspace_id = :workspaceId and start.id = edge.from_id
    join graph_nodes finish on finish.workspace_id = :workspaceId and finish.id = edge.to_id
    where edge.workspace_id = :workspaceId ${ofType}
    group by edge.relation, start.type, finish.type
  ), placed as (
    select joined.*, cast(sum(joined.edges) over (partition by joined.relation) as bigint) as total,
      row_number() over (partition by joined.relation order by joined.edges desc, joined.from_type, joined.to_type) as place
    from joined
  ), ranked as (
    select placed.*, dense_rank() over (order by placed.total desc, placed.relation) as rank from placed
  )
  select relation, from_type, to_type, edges, total, place from ranked
  where rank <= cast(:relations as integer) and place <= cast(:joins as integer)
  order by rank, place`;

/**
 * How many nodes and edges a workspace's graph has, with up to `limit` types and relations. Fails with
 * `sqlState.queryCanceled` after `limitMs`.
 */
export function readGraphCounts(
  db: Db,
  workspaceId: string,
  { limit, limitMs }: { limit: number; limitMs: number },
): Promise<GraphCounts> {
  return readWithin(db, limitMs, async (trx) => {
    const totals = await readTotals(trx, workspaceId);
    const types = await countTypes(trx, workspaceId, { limit: limit + 1 });
    const relations = await countRelations(trx, workspaceId, { limit: limit + 1 });
    return {
      ...totals,
      types: types.slice(0, limit),
      relations: relations.slice(0, limit),
      truncated: types.length > limit || relations.length > limit,
    };
  });
}
