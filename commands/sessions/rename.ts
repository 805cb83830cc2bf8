import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { agentNameOf } from '../../store/sessions/sessions.ts';
import { lockTitle, updateTitle } from '../../store/sessions/title.ts';

/**
 * Names a session, with an audit event; null gives it back the name that its prompt makes. No change and no
 * event if it is called so already, or was removed.
 */
export function renameSession(
  db: Db,
  sessionId: string,
  { title, by }: { title: string | null; by: Actor },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockTitle(trx, sessionId);
    if (session === null || session.title === title) {
      return;
    }
    await updateTitle(trx, sessionId, title);
    await appendAuditEvent(trx, {
      workspaceId: session.workspaceId,
      event: 'session.renamed',
      actor: by,
      resource: { type: 'session', id: sessionId, name: await agentNameOf(trx, session.agentId) },
      sessionId,
      data: { from: session.title, to: title },
    });
  });
}
