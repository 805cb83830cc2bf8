import { systemActor } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { listExpiredPreviews } from '../../store/previews/change.ts';
import { removeExpiredOpenings } from '../../store/previews/openings.ts';
import { endPreview } from './end.ts';

const batchSize = 50;

/**
 * Ends previews that have expired, each in a transaction of its own, and forgets where people had previews open. Returns the ids of those that
 * showed a service, whose workflows are to be told. Safe from several workers at once.
 */
export async function endExpiredPreviews(db: Db): Promise<string[]> {
  const ofServices: string[] = [];
  await removeExpiredOpenings(db);
  for (;;) {
    const expired = await listExpiredPreviews(db, { limit: batchSize });
    for (const id of expired) {
      const ended = await endPreview(db, id, systemActor);
      if (ended !== null && ended.service !== null) {
        ofServices.push(id);
      }
    }
    if (expired.length < batchSize) {
      return ofServices;
    }
  }
}
