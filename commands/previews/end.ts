import type { Preview } from '../../contract/preview.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { erasePreview, markPreviewEnded } from '../../store/previews/change.ts';
import { announceChange } from '../../store/session-events/append.ts';
import { auditPreview } from './audit.ts';

/**
 * Ends a preview: its files are erased, it is closed wherever it is open, and open pages are told. Returns it, or null when it had ended before. The workflow of
 * its service notices; who ends it tells it (`serviceChanged`), so that this is soon.
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
