import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import type { SecretKey } from './put.ts';
import { presentSecret } from './row.ts';

/** Destroys the value and keeps the row. Idempotent, without a second event. Null for an unknown name. */
export async function clearSecret(
  db: Db,
  { workspaceId, name }: SecretKey,
  userId: string,
): Promise<SecretMetadata | null> {
  return inTransaction(db, async (trx) => {
    const columns = ['id', 'name', 'is_set', 'created_at', 'updated_at', 'updated_by'];
    const before = await trx('workspace_secrets')
      .where({ workspace_id: workspaceId, name })
      .forUpdate()
      .first(columns);
    if (before === undefined || !before.is_set) {
      return before === undefined ? null : presentSecret(before);
    }
    const [row] = await trx('workspace_secrets')
      .where({ id: before.id })
      .update({
        sealed_value: null,
        sealed_data_key: null,
        key_id: null,
        version: trx.raw('version + 1'),
        updated_at: trx.fn.now(),
        updated_by: userId,
      })
      .returning(columns);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.secret.cleared',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: row.id, name },
    });
    return presentSecret(row);
  });
}
