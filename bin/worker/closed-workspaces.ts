/** Closed workspaces: what goes on in one ends, and one that was closed for long is removed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { endInClosed, tellTemporal } from '../../commands/workspaces/end-in-closed.ts';
import { beginRemoval, removeBatch } from '../../commands/workspaces/remove.ts';
import type { Db } from '../../store/database.ts';
import { listClosing } from '../../store/workspaces/closing.ts';
import { listToRemove, removalBatch } from '../../store/workspaces/removal.ts';
import type { Workflows } from '../../workflows/client.ts';
import type { Schedules } from '../../workflows/schedules-client.ts';

interface Ending {
  dependencies: Pick<ActivityDependencies, 'db' | 'log'>;
  workflows: Omit<Workflows, 'listRunning' | 'signalScheduledRun'>;
  schedules: Pick<Schedules, 'put' | 'remove'>;
}

/**
 * Goes on with closed workspaces where the API did not come to the end. One that cannot be told now delays no
 * other.
 */
export async function endInClosedWorkspaces({
  dependencies: { db, log },
  workflows,
  schedules,
}: Ending): Promise<void> {
  const tell = tellTemporal({ db, workflows, schedules });
  for (const workspaceId of await listClosing(db)) {
    await endInClosed(db, workspaceId, tell).catch((err: unknown) =>
      log.warn({ err, workspace_id: workspaceId }, 'a closed workspace is looked at again'),
    );
  }
}

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
