import { type Db, inTransaction } from '../../store/database.ts';
import { lockGraph, setTotals } from '../../store/graph/totals.ts';
import { type GraphWriter, type NewNode, upsertNodes, type Written } from '../../store/graph/write.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

/**
 * Writes all of the nodes, or none, and returns them in the order given. Idempotent: the same nodes again are the same rows. Throws
 * QuotaExceededError when the graph would have more than `limit` nodes; nodes that it has can still be written then.
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
