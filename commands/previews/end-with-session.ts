import { systemActor } from '../../contract/session-event.ts';
import type { Transaction } from '../../store/database.ts';
import { listServicePreviewsOfSession } from '../../store/previews/services.ts';
import { endPreview } from './end.ts';

/** Ends the previews of a session's services: those of files live on. Takes a transaction that ended the session, whose agent deploys none after it. */
export async function endServicesWithSession(trx: Transaction, sessionId: string): Promise<void> {
  for (const id of await listServicePreviewsOfSession(trx, sessionId)) {
    await endPreview(trx, id, systemActor);
  }
}
