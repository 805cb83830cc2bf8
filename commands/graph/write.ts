/** An agent writes to the workspace's graph, within its quotas. */
import { type Db, inTransaction } from '../../store/database.ts';
import {
  findNode,
  type GraphWriter,
  lockGraph,
  type NewNode,
  type NodeReference,
  setTotals,
  upsertEdge,
  upsertNodes,
  type Written,
} from '../../store/graph/write.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';

/**
 * Writes all of the nodes, or none, and returns them in the order given. Idempotent: the same nodes again are
 * the same rows. Throws QuotaExceededError when the graph would have more than `limit` nodes; nodes that it
 * has can still be written then.
 */
export async function writeNodes(
  db: Db,
  writer: GraphWriter,
  nodes: readonly NewNode[],
  { limit }: { limit: number },
): Promise<Written[]> {
  return inTransaction(db, async (trx) => {
    const totals = await lockGraph(trx, writer.workspaceId);
    const written = await upsertNodes(trx, writer, nodes);
    const created = written.filter((node) => node.created).length;
    if (created > 0) {
      if (totals.nodes + created > limit) {
        throw new QuotaExceededError(limit, 'nodes in the graph of a workspace');
      }
      await setTotals(trx, writer.workspaceId, { ...totals, nodes: totals.nodes + created });
    }
    return written;
  });
}

interface Relating {
  from: NodeReference;
  relation: string;
  to: NodeReference;
  properties: Readonly<Record<string, unknown>>;
}

type Related = { result: 'related'; edge: Written } | { result: 'not_found'; which: 'from' | 'to' };

/**
 * Writes the edge from one node to another, or to itself. Idempotent: the same edge again is the same row. A
 * node of another workspace is as unknown as one that nobody wrote. Throws QuotaExceededError when the graph
 * would have more than `limit` edges.
 */
export async function relateNodes(
  db: Db,
  writer: GraphWriter,
  { from, relation, to, properties }: Relating,
  { limit }: { limit: number },
): Promise<Related> {
  return inTransaction(db, async (trx) => {
    const totals = await lockGraph(trx, writer.workspaceId);
    const fromId = await findNode(trx, writer.workspaceId, from);
    if (fromId === null) {
      return { result: 'not_found', which: 'from' };
    }
    const toId = await findNode(trx, writer.workspaceId, to);
    if (toId === null) {
      return { result: 'not_found', which: 'to' };
    }
    const edge = await upsertEdge(trx, writer, { fromId, relation, toId, properties });
    if (edge.created) {
      if (totals.edges >= limit) {
        throw new QuotaExceededError(limit, 'edges in the graph of a workspace');
      }
      await setTotals(trx, writer.workspaceId, { ...totals, edges: totals.edges + 1 });
    }
    return { result: 'related', edge };
  });
}
