import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { readConnectionResource } from '../../store/oauth-connections/audit.ts';
import { keepRefusal } from '../../store/oauth-connections/change.ts';
import { replacedRefused } from '../../store/oauth-connections/read.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';

/** A sign-in that is older has worked. */
const newForSeconds = 3600;

/**
 * Keeps why a server refuses tokens that its authorization server has just given: the person reads it where they sign in again, admins in the
 * audit trail. True when it refused those of the sign-in before this one as well: another one would be of no use.
 */
export function recordTokensRefused(db: Db, connection: ConnectionRow, refusal: string): Promise<boolean> {
  const { id, workspace_id: workspaceId, user_id, issuer, resource } = connection;
  return inTransaction(db, async (trx) => {
    if (await keepRefusal(trx, id, refusal)) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'connection.tokens_refused',
        actor: systemActor,
        resource: await readConnectionResource(trx, connection),
        data: { user_id, issuer, resource, explanation: refusal },
      });
    }
    return replacedRefused(trx, connection, newForSeconds);
  });
}
