import { systemActor } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { listExpiredPreviews } from '../../store/previews/change.ts';
import { removeExpiredOpenings } from '../../store/previews/openings.ts';
import { endPreview } from './end.ts';

const batchSize = 50;

/** Ends previews that have expired, each in a transaction of its own, and forgets where people had previews open. Safe from several workers at once. */
export async function endExpiredPreviews(db: Db): Promise<void> {
  await removeExpiredOpenings(db);
  for (;;) {
    const expired = await listExpiredPreviews(db, { limit: batchSize });
    for (const id of expired) {
      await endPreview(db, id, systemActor);
    }
    if (expired.length < batchSize) {
      return;
    }
  }
}
