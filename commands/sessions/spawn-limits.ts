/** How large a tree of sessions may be. */
import type { Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';
import { countInTree, listUnfinishedChildren } from '../../store/sessions/children.ts';

/** By the names of their settings (config/quotas.ts). */
export interface TreeQuotas {
  LIMIT_SESSION_TREE_DEPTH: number;
  LIMIT_SESSIONS_PER_TREE: number;
  LIMIT_RUNNING_CHILDREN_PER_SESSION: number;
}

/** Throws QuotaExceededError unless the last of `lineage` may have one more child. Takes a transaction that locked the tree. `lineage`: root first. */
export async function requireRoomInTree(
  trx: Transaction,
  lineage: readonly string[],
  quotas: TreeQuotas,
): Promise<void> {
  const { LIMIT_SESSION_TREE_DEPTH: depth, LIMIT_SESSIONS_PER_TREE: inTree } = quotas;
  if (lineage.length > depth) {
    throw new QuotaExceededError(depth, 'levels of sessions below the first; do this work here instead');
  }
  const [root, parent] = [lineage[0], lineage.at(-1)];
  if (root === undefined || parent === undefined) {
    throw new Error('a session has a lineage');
  }
  const { LIMIT_RUNNING_CHILDREN_PER_SESSION: children } = quotas;
  if ((await listUnfinishedChildren(trx, parent)).length >= children) {
    throw new QuotaExceededError(children, 'running children per session; one has to end first');
  }
  if ((await countInTree(trx, root)) >= inTree) {
    throw new QuotaExceededError(
      inTree,
      'sessions in a tree, ended ones included; do this work here instead',
    );
  }
}
