import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import type { SealedSecret } from './envelope.ts';
import { presentSecret } from './row.ts';

export interface SecretKey {
  workspaceId: string;
  name: string;
}

/** Stores a sealed value. The event is `set` or `replaced` by whether a value was there, decided under the row's lock. */
export async function putSecret(
  db: Db,
  { workspaceId, name }: SecretKey,
  sealed: SealedSecret,
  userId: string,
): Promise<SecretMetadata> {
  return inTransaction(db, async (trx) => {
    // Inserts an empty row first, so that two first writes of one name also serialise.
    await trx('workspace_secrets')
      .insert({ workspace_id: workspaceId, name })
      .onConflict(['workspace_id', 'name'])
      .ignore();
    const before = await trx('workspace_secrets')
      .where({ workspace_id: workspaceId, name })
      .forUpdate()
      .first('id', 'is_set');
    const [row] = await trx('workspace_secrets')
      .where({ id: before.id })
      .update({
        sealed_value: sealed.sealedValue,
        sealed_data_key: sealed.sealedDataKey,
        key_id: sealed.keyId,
        version: trx.raw('version + 1'),
        updated_at: trx.fn.now(),
        updated_by: userId,
      })
      .returning(['id', 'name', 'is_set', 'created_at', 'updated_at', 'updated_by']);
    await appendAuditEvent(trx, {
      workspaceId,
      event: before.is_set ? 'workspace.secret.replaced' : 'workspace.secret.set',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: row.id, name },
    });
    return presentSecret(row);
  });
}
