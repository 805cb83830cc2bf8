import { type Actor, systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { readConnectionResource } from '../../store/oauth-connections/audit.ts';
import { endConnection } from '../../store/oauth-connections/change.ts';
import type { ConnectionEndReason, ConnectionRow } from '../../store/oauth-connections/row.ts';

/**
 * Ends a person's sign-in at a remote server: it is of no use from now on, and a worker revokes its tokens. False when it has ended before.
 * `facts` are audited, and hold no token; the person reads the reason where they sign in again.
 */
export function endSignIn(
  db: Db,
  connection: ConnectionRow,
  reason: ConnectionEndReason,
  facts: { reason?: string; by?: Actor } = {},
): Promise<boolean> {
  const { by = systemActor, reason: explanation } = facts;
  return inTransaction(db, async (trx) => {
    if (!(await endConnection(trx, connection.id, { reason, refusal: explanation }))) {
      return false;
    }
    await appendAuditEvent(trx, {
      workspaceId: connection.workspace_id,
      event: reason === 'refused' ? 'connection.refused' : 'connection.ended',
      actor: by,
      resource: await readConnectionResource(trx, connection),
      data: {
        user_id: connection.user_id,
        issuer: connection.issuer,
        resource: connection.resource,
        reason,
        ...(explanation === undefined ? {} : { explanation }),
      },
    });
    return true;
  });
}
