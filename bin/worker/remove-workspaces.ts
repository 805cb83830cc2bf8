import { setTimeout as sleep } from 'node:timers/promises';
import { beginRemoval, removeBatch } from '../../commands/workspaces/remove.ts';
import type { Db } from '../../store/database.ts';
import { listToRemove, removalBatch } from '../../store/workspaces/removal.ts';

/** The rest waits for the next sweep. */
const batchesPerSweep = 200;
const betweenBatchesMs = 20;

/** Removes workspaces whose time to be reopened is over, and goes on with removals that were interrupted. */
export async function removeDueWorkspaces(db: Db, stopping?: AbortSignal): Promise<void> {
  let batches = 0;
  for (const workspaceId of await listToRemove(db)) {
    if ((await beginRemoval(db, { workspaceId, by: 'sweep', isDue: true })) !== 'begun') {
      continue;
    }
    while (await removeBatch(db, { workspaceId, limit: removalBatch })) {
      batches += 1;
      if (batches >= batchesPerSweep || stopping?.aborted === true) {
        return;
      }
      await sleep(betweenBatchesMs);
    }
  }
}
