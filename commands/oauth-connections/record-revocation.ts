import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { readConnectionResource } from '../../store/oauth-connections/audit.ts';
import { eraseTokens } from '../../store/oauth-connections/change.ts';
import type { ConnectionRow } from '../../store/oauth-connections/row.ts';

/** Erases the tokens of an ended sign-in. `isRevoked`: whether the server has revoked them. */
export function recordRevocation(
  db: Db,
  connection: ConnectionRow,
  { isRevoked }: { isRevoked: boolean },
): Promise<void> {
  const { workspace_id: workspaceId, user_id, issuer } = connection;
  return inTransaction(db, async (trx) => {
    if (await eraseTokens(trx, connection)) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'connection.revoked',
        actor: systemActor,
        resource: await readConnectionResource(trx, connection),
        data: { user_id, issuer, at_server: isRevoked },
      });
    }
  });
}
