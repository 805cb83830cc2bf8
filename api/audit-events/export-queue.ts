/**
 * Exports read the database in batches, and hold no place while their clients read, however slowly they do.
 */
import type { ReadBatch } from '../../store/audit-events/list.ts';
import { type ConcurrencyQueue, createConcurrencyQueue } from '../middleware/concurrency-queue.ts';

/** In each process: fewer than its connections to the database. */
const batchesAtATime = 3;
const ofUserAtATime = 2;
const ofWorkspaceAtATime = 1;
/** More than there are downloads. */
const waitingBatches = 100;

export interface Exporting {
  userId: string;
  workspaceId: string;
  response: Parameters<ConcurrencyQueue['enter']>[1];
}

/**
 * Returns how the batches of an export are read: each with a place of its user, of its workspace, and of all.
 */
export function createExportQueue(): (exporting: Exporting) => ReadBatch {
  const queueOf = (name: string, atATime: number) =>
    createConcurrencyQueue({ name, atATime, waiting: waitingBatches });
  const ofUser = queueOf('batches of exports at a time per user', ofUserAtATime);
  const ofWorkspace = queueOf('batches of exports at a time per workspace', ofWorkspaceAtATime);
  const ofAll = queueOf('batches of exports at a time', batchesAtATime);
  return ({ userId, workspaceId, response }) =>
    async (read) => {
      const entered: { leave(): void }[] = [];
      try {
        // In this order, whoever waits for a place of a narrower share holds up nobody but themselves.
        entered.push(await ofUser.enter(userId, response));
        entered.push(await ofWorkspace.enter(workspaceId, response));
        entered.push(await ofAll.enter('all', response));
        return await read();
      } finally {
        for (const { leave } of entered) {
          leave();
        }
      }
    };
}
