import { systemActor } from '../../contract/session-event.ts';
import type { ServiceEnding } from '../../contract/workflows.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { recordServiceEnding } from '../../store/previews/services.ts';
import { endPreview } from './end.ts';

/**
 * Records that the service of a preview has ended, and ends the preview: without it there is nothing to show. Idempotent: a recorded end is
 * returned as it is.
 */
export function endService(db: Db, previewId: string, ending: ServiceEnding): Promise<ServiceEnding> {
  return inTransaction(db, async (trx) => {
    // The preview first, as in a removal of its session. Where an end is recorded it has ended, and this does nothing.
    await endPreview(trx, previewId, systemActor, ending.reason === null ? {} : { reason: ending.reason });
    const recorded = await recordServiceEnding(trx, previewId, ending);
    if (recorded === null) {
      return ending;
    }
    const { reason } = recorded;
    return reason === null ? { state: 'stopped', reason } : { state: 'failed', reason };
  });
}
