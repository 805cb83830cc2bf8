import { randomUUID } from 'node:crypto';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { agentNameOf } from '../../store/sessions/sessions.ts';
import { lockTree, updateRequestsMuted } from '../../store/sessions/tree.ts';

const notices = {
  muted: 'Permission requests of this session are muted: they are refused without asking a person.',
  unmuted: 'Permission requests of this session are no longer muted.',
} as const;

/**
 * Mutes or unmutes a session's permission requests, with an event and an audit event. No change and no
 * events if already so, or if the session has ended. Open requests stay open.
 */
export function setRequestsMuted(
  db: Db,
  sessionId: string,
  { muted, by }: { muted: boolean; by: Actor },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockTree(trx, sessionId);
    const session = await updateRequestsMuted(trx, sessionId, muted);
    if (session === null) {
      return;
    }
    const what = muted ? 'muted' : 'unmuted';
    await appendSessionEvent(trx, sessionId, {
      id: randomUUID(),
      type: 'platform.notice',
      actor: by,
      payload: { code: `permission_requests_${what}`, message: notices[what] },
    });
    await appendAuditEvent(trx, {
      workspaceId: session.workspaceId,
      event: `session.${what}`,
      actor: by,
      resource: { type: 'session', id: sessionId, name: await agentNameOf(trx, session.agentId) },
      sessionId,
    });
  });
}
