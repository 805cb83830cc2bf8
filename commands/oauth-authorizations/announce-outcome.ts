import type { AuthorizationStatus } from '../../contract/authorization.ts';
import { isTerminal } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { AuthorizationRow } from '../../store/oauth-authorizations/row.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { lockSession } from '../../store/sessions/status.ts';

/** Says in the session's transcript how a sign-in ended, once; nothing while it is pending, or when the session has ended. */
export async function announceOutcome(
  db: Db,
  { id, status, session_id: sessionId }: AuthorizationRow,
  server: string,
): Promise<void> {
  const notice = noticeOf(status, server);
  if (sessionId === null || notice === null) {
    return;
  }
  await inTransaction(db, async (trx) => {
    const session = await lockSession(trx, sessionId);
    if (session !== null && !isTerminal(session.status)) {
      await appendSessionEvent(trx, sessionId, {
        id: derivedId(id, status),
        type: 'platform.notice',
        actor: systemActor,
        payload: notice,
      });
    }
  });
}

function noticeOf(status: AuthorizationStatus, server: string): { code: string; message: string } | null {
  switch (status) {
    case 'connected':
      return { code: 'signed_in', message: `The operator signed in to "${server}".` };
    case 'expired':
      return { code: 'sign_in_expired', message: `The operator did not sign in to "${server}" in time.` };
    default:
      return null;
  }
}
