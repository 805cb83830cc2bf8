import type { GraphCounts } from '../../contract/graph.ts';
import type { Db } from '../database.ts';
import { readWithin } from '../read-within.ts';
import { countRelations, countTypes } from './discover.ts';
import { readTotals } from './totals.ts';

/** How many nodes and edges a workspace's graph has, with up to `limit` types and relations. Fails with `sqlState.queryCanceled` after `limitMs`. */
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
