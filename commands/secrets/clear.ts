import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { eraseSealedValue, lockSecret, type SecretKey } from '../../store/secrets/change.ts';

/** Destroys the value and keeps the row. Idempotent, without a second event. Null for an unknown name. */
export async function clearSecret(db: Db, key: SecretKey, userId: string): Promise<SecretMetadata | null> {
  return inTransaction(db, async (trx) => {
    const before = await lockSecret(trx, key);
    if (before === null || !before.metadata.is_set) {
      return before?.metadata ?? null;
    }
    const secret = await eraseSealedValue(trx, before.id, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: 'workspace.secret.cleared',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
    });
    return secret;
  });
}
