/**
 * Removing a closed workspace permanently: an operator's program does it, or the sweep
 * once nobody can reopen it.
 */
import { type Db, inTransaction } from '../../store/database.ts';
import { hasUnfinished, lockToClose } from '../../store/workspaces/closing.ts';
import {
  isBeingRemoved,
  recordRemoval,
  removeRows,
  removeWorkspaceRow,
} from '../../store/workspaces/removal.ts';

export type BegunRemoval =
  | 'begun'
  /** Or it is gone. */
  | 'not_closed'
  /** Something in it goes on. */
  | 'still_closing';

/**
 * From here on nobody reads or reopens the workspace, and whoever comes removes the rest of it. `by` is who
 * removes it, for the record. With `isDue` it is refused while it can still be reopened.
 */
export function beginRemoval(
  db: Db,
  { workspaceId, by, isDue }: { workspaceId: string; by: string; isDue: boolean },
): Promise<BegunRemoval> {
  return inTransaction(db, async (trx) => {
    const known = await lockToClose(trx, workspaceId);
    if (known === null || known.workspace.closed_at === null) {
      return 'not_closed';
    }
    if (await isBeingRemoved(trx, workspaceId)) {
      return 'begun';
    }
    if (isDue && known.mayReopen) {
      return 'not_closed';
    }
    if (!known.hasEnded || (await hasUnfinished(trx, workspaceId))) {
      return 'still_closing';
    }
    await recordRemoval(trx, workspaceId, by);
    return 'begun';
  });
}

/**
 * Removes a batch of rows of a workspace whose removal has begun; the last batch is the workspace.
 * Returns whether anything is left. A process that is killed leaves the rest to the next one, and two
 * at once do each row once.
 */
export function removeBatch(
  db: Db,
  { workspaceId, limit }: { workspaceId: string; limit: number },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const known = await lockToClose(trx, workspaceId);
    if (known === null || !(await isBeingRemoved(trx, workspaceId))) {
      return false;
    }
    if ((await removeRows(trx, workspaceId, limit)) > 0) {
      return true;
    }
    await removeWorkspaceRow(trx, workspaceId);
    return false;
  });
}
