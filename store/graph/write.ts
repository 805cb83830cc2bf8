/**
 * Writing nodes and edges, within what a workspace may have. Each statement takes a transaction that locked
 * the graph, so nobody writes between its snapshot and its end.
 */
import * as z from 'zod';
import { graphLimits } from '../../contract/graph.ts';
import { uuid } from '../../contract/names.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

/** A text as it is searched. Folded here: what a database folds depends on its locale. */
export const folded = (text: string) => text.toLowerCase().slice(0, graphLimits.keyLength).toWellFormed();

/** The node's name as it is searched; null for a node without one. */
function foldedName(properties: Readonly<Record<string, unknown>>): string | null {
  const name = properties['name'];
  return typeof name === 'string' && name !== '' ? folded(name) : null;
}

/** How much of a graph one answer holds. SQL measures it, so that what is left out takes no memory here. */

export interface GraphBounds {
  /** Of nodes, and of edges. */
  limit: number;
  /** Of the nodes of an answer as JSON; one node is always in it. */
  nodeBytes: number;
  edgeBytes: number;
}

/** Beside properties, type and key: ids, times and the names of members. */
const fixedBytes = 240;

export const nodeBytesOf = (node: string) =>
  `octet_length(cast(${node}.properties as text)) + octet_length(${node}.type) + octet_length(${node}.key) + ${fixedBytes}`;
export const edgeBytesOf = (edge: string) =>
  `octet_length(cast(${edge}.properties as text)) + octet_length(${edge}.relation) + ${fixedBytes}`;

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Expressions for nodes and edges as `contract/graph.ts` has them. */
export const nodeJson = (node: string) =>
  `json_build_object('id', ${node}.id, 'type', ${node}.type, 'key', ${node}.key, 'properties', ${node}.properties,
    'updated_at', ${time(`${node}.updated_at`)}, 'updated_by_session', ${node}.updated_by_session)`;
export const edgeJson = (edge: string) =>
  `json_build_object('id', ${edge}.id, 'from', ${edge}.from_id, 'relation', ${edge}.relation, 'to', ${edge}.to_id,
    'properties', ${edge}.properties, 'updated_at', ${time(`${edge}.updated_at`)}, 'updated_by_session', ${edge}.updated_by_session)`;

interface GraphTotals {
  nodes: number;
  edges: number;
}

const none: GraphTotals = { nodes: 0, edges: 0 };

/**
 * Locks the graph until the transaction ends: those who write to it take turns, so that its quota holds and
 * none waits for two others.
 */
export async function lockGraph(trx: Transaction, workspaceId: string): Promise<GraphTotals> {
  await trx('graphs').insert({ workspace_id: workspaceId }).onConflict('workspace_id').ignore();
  const row = await trx('graphs').where({ workspace_id: workspaceId }).forUpdate().first('nodes', 'edges');
  return row ?? none;
}

/** Takes a transaction that locked the graph. */
export async function setTotals(
  trx: Transaction,
  workspaceId: string,
  totals: Readonly<GraphTotals>,
): Promise<void> {
  await trx('graphs')
    .where({ workspace_id: workspaceId })
    .update({ ...totals });
}

export async function readTotals(trx: Transaction, workspaceId: string): Promise<GraphTotals> {
  const row = await trx('graphs').where({ workspace_id: workspaceId }).first('nodes', 'edges');
  return row ?? none;
}

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

/**
 * Writes nodes by type and key, each of which is given once; what they had is replaced. Returns them in the
 * order given.
 */
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

interface NewEdge {
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
