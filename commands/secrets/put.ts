import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  insertEmptySecret,
  lockSecret,
  type SecretKey,
  storeSealedValue,
} from '../../store/secrets/change.ts';
import type { SealedSecret } from '../../store/secrets/envelope.ts';

/** Stores a sealed value. The event is `set` or `replaced` by whether a value was there, decided under the row's lock. */
export async function putSecret(
  db: Db,
  key: SecretKey,
  sealed: SealedSecret,
  userId: string,
): Promise<SecretMetadata> {
  return inTransaction(db, async (trx) => {
    // Inserts an empty row first, so that two first writes of one name also serialise.
    await insertEmptySecret(trx, key);
    const before = await lockSecret(trx, key);
    if (before === null) {
      throw new Error('the secret was not stored');
    }
    const secret = await storeSealedValue(trx, before.id, sealed, userId);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: before.metadata.is_set ? 'workspace.secret.replaced' : 'workspace.secret.set',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: before.id, name: key.name },
    });
    return secret;
  });
}
