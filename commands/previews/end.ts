/** A preview ends: by a person, with its time, with its service, or with its session. */
import type { Preview } from '../../contract/preview.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import type { ServiceEnding } from '../../contract/workflows.ts';
import { appendAuditEvent, type NewAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { removeExpiredOpenings } from '../../store/previews/openings.ts';
import { erasePreview, listExpiredPreviews, markPreviewEnded } from '../../store/previews/previews.ts';
import { listServicePreviewsOfSession, recordServiceEnding } from '../../store/previews/services.ts';
import { announceChange } from '../../store/session-events/append.ts';
import { agentNameOf, readSession } from '../../store/sessions/sessions.ts';

/**
 * An audit event of a preview: what it is and for how long, without the agent's title, paths and contents.
 * `reason`: why it ended by itself.
 */
export async function auditPreview(
  trx: Transaction,
  event: 'session.preview.deployed' | 'session.preview.ended',
  actor: Actor,
  preview: Preview,
  { reason }: { reason?: string } = {},
): Promise<NewAuditEvent> {
  const { id, workspace_id: workspaceId, session_id: sessionId, service } = preview;
  const { audience, files, size_bytes, expires_at } = preview;
  const session = await readSession(trx, sessionId);
  const name = session === null ? '' : await agentNameOf(trx, session.agent_id);
  const data = {
    ...{ audience, files, size_bytes, expires_at },
    ...(service === null ? {} : { service }),
    ...(reason === undefined ? {} : { reason }),
  };
  return { workspaceId, event, actor, resource: { type: 'preview', id, name }, sessionId, data };
}

/**
 * Ends a preview: its files are erased, it is closed wherever it is open, and open pages are told. Returns
 * it, or null when it had ended before. The workflow of its service notices; who ends it tells it
 * (`serviceChanged`), so that this is soon.
 */
export function endPreview(
  db: Db,
  id: string,
  by: Actor,
  because: { reason?: string } = {},
): Promise<Preview | null> {
  return inTransaction(db, async (trx) => {
    const ended = await markPreviewEnded(trx, id);
    if (ended !== null) {
      await erasePreview(trx, id);
      const { session_id: sessionId, workspace_id: workspaceId } = ended;
      await announceChange(trx, { sessionId, workspaceId }, 'preview.ended');
      await appendAuditEvent(trx, await auditPreview(trx, 'session.preview.ended', by, ended, because));
    }
    return ended;
  });
}

const batchSize = 50;

/**
 * Ends previews that have expired, each in a transaction of its own, and forgets where people had previews
 * open. Returns the ids of those that showed a service, whose workflows are to be told. Safe from several
 * workers at once.
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

/**
 * Records that the service of a preview has ended, and ends the preview: without it there is nothing to show.
 * Idempotent: a recorded end is returned as it is.
 */
export function endService(db: Db, previewId: string, ending: ServiceEnding): Promise<ServiceEnding> {
  return inTransaction(db, async (trx) => {
    // The preview first, as in a removal of its session. Where an end is recorded it has
    // ended, and this does nothing.
    await endPreview(trx, previewId, systemActor, ending.reason === null ? {} : { reason: ending.reason });
    const recorded = await recordServiceEnding(trx, previewId, ending);
    if (recorded === null) {
      return ending;
    }
    const { reason } = recorded;
    return reason === null ? { state: 'stopped', reason } : { state: 'failed', reason };
  });
}

/**
 * Ends the previews of a session's services: those of files live on. Takes a transaction that ended the
 * session, whose agent deploys none after it.
 */
export async function endServicesWithSession(trx: Transaction, sessionId: string): Promise<void> {
  for (const id of await listServicePreviewsOfSession(trx, sessionId)) {
    await endPreview(trx, id, systemActor);
  }
}
