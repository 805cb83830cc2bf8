/** Writing nodes and edges. Each statement takes a transaction that locked the graph, so nobody writes between its snapshot and its end. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { folded, foldedName } from './folded-text.ts';

export interface GraphWriter {
  workspaceId: string;
  sessionId: string;
}

export interface NewNode {
  type: string;
  key: string;
  properties: Readonly<Record<string, unknown>>;
}

const written = z.object({ id: uuid, created: z.boolean() });
export type Written = z.infer<typeof written>;

const upsertNodesStatement = `
  with given as (
    select * from jsonb_to_recordset(cast(:nodes as jsonb))
      as node(place integer, type text, key text, properties jsonb, folded_key text, folded_name text)
  ), existing as (
    select node.type, node.key from given join graph_nodes node
      on node.workspace_id = :workspaceId and node.type = given.type and node.key = given.key
  ), written as (
    insert into graph_nodes (workspace_id, type, key, properties, folded_key, folded_name, created_by_session, updated_by_session)
    select cast(:workspaceId as uuid), type, key, properties, folded_key, folded_name,
      cast(:sessionId as uuid), cast(:sessionId as uuid)
    from given
    on conflict (workspace_id, type, key) do update set properties = excluded.properties,
      folded_name = excluded.folded_name, updated_at = now(), updated_by_session = excluded.updated_by_session
    returning id, type, key
  )
  select written.id, existing.key is null as created
  from given
  join written on written.type = given.type and written.key = given.key
  left join existing on existing.type = given.type and existing.key = given.key
  order by given.place`;

/** Writes nodes by type and key, each of which is given once; what they had is replaced. Returns them in the order given. */
export function upsertNodes(
  trx: Transaction,
  { workspaceId, sessionId }: GraphWriter,
  nodes: readonly NewNode[],
): Promise<Written[]> {
  const rows = nodes.map(({ type, key, properties }, place) => ({
    ...{ place, type, key, properties },
    folded_key: folded(key),
    folded_name: foldedName(properties),
  }));
  const values = { nodes: JSON.stringify(rows), workspaceId, sessionId };
  return readRows(trx.raw(upsertNodesStatement, values), written);
}

/** A node by its id, or by what it is known by. */
export type NodeReference = { id: string } | { type: string; key: string };

/** The id of a node of this workspace; null when it has no such node. */
export async function findNode(
  trx: Transaction,
  workspaceId: string,
  reference: NodeReference,
): Promise<string | null> {
  const row = await trx('graph_nodes')
    .where({ workspace_id: workspaceId, ...reference })
    .first('id');
  return row?.id ?? null;
}

export interface NewEdge {
  fromId: string;
  relation: string;
  toId: string;
  properties: Readonly<Record<string, unknown>>;
}

const upsertEdgeStatement = `
  with existing as (
    select id from graph_edges
    where workspace_id = :workspaceId and from_id = :fromId and relation = :relation and to_id = :toId
  ), written as (
    insert into graph_edges (workspace_id, from_id, relation, to_id, properties, created_by_session, updated_by_session)
    values (:workspaceId, :fromId, :relation, :toId, cast(:properties as jsonb), :sessionId, :sessionId)
    on conflict (workspace_id, from_id, relation, to_id) do update set properties = excluded.properties,
      updated_at = now(), updated_by_session = excluded.updated_by_session
    returning id
  )
  select written.id, not exists (select from existing) as created from written`;

/** Writes the edge between two nodes of the workspace; what it had is replaced. */
export async function upsertEdge(
  trx: Transaction,
  { workspaceId, sessionId }: GraphWriter,
  { fromId, relation, toId, properties }: NewEdge,
): Promise<Written> {
  const edge = { fromId, relation, toId, properties: JSON.stringify(properties) };
  const statement = trx.raw(upsertEdgeStatement, { workspaceId, sessionId, ...edge });
  return onlyRow(await readRows(statement, written));
}
