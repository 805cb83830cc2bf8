import { isDeepStrictEqual } from 'node:util';
import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockSecret, type SecretKey, storeRestriction } from '../../store/secrets/change.ts';

/** Sets which entries may use the secret; null means any. Returns null for an unknown name. An unchanged list writes no event. */
export async function restrictSecret(
  db: Db,
  key: SecretKey,
  allowedServers: readonly string[] | null,
  userId: string,
): Promise<SecretMetadata | null> {
  const wanted = allowedServers === null ? null : [...new Set(allowedServers)].sort();
  return inTransaction(db, async (trx) => {
    const before = await lockSecret(trx, key);
    if (before === null || isDeepStrictEqual(before.allowedServers, wanted)) {
      return before?.metadata ?? null;
    }
    const secret = await storeRestriction(trx, before.id, wanted, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: 'workspace.secret.restricted',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
      data: { allowed_servers: wanted },
    });
    return secret;
  });
}
