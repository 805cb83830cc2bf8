import type { SecretMetadata } from '../../contract/secret.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import type { SecretKey } from './put.ts';
import { presentSecret } from './row.ts';

/** Sets which entries may use the secret; null means any. Returns null for an unknown name. An unchanged list writes no event. */
export async function restrictSecret(
  db: Db,
  { workspaceId, name }: SecretKey,
  allowedServers: readonly string[] | null,
  userId: string,
): Promise<SecretMetadata | null> {
  const wanted = allowedServers === null ? null : [...new Set(allowedServers)].sort();
  return inTransaction(db, async (trx) => {
    const before = await trx('workspace_secrets')
      .where({ workspace_id: workspaceId, name })
      .forUpdate()
      .first('id', 'name', 'is_set', 'created_at', 'updated_at', 'updated_by', 'allowed_servers');
    if (before === undefined || JSON.stringify(before.allowed_servers) === JSON.stringify(wanted)) {
      return before === undefined ? null : presentSecret(before);
    }
    const [row] = await trx('workspace_secrets')
      .where({ id: before.id })
      .update({ allowed_servers: wanted, updated_at: trx.fn.now(), updated_by: userId })
      .returning(['id', 'name', 'is_set', 'created_at', 'updated_at', 'updated_by']);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.secret.restricted',
      actor: { type: 'user', id: userId },
      resource: { type: 'secret', id: row.id, name },
      data: { allowed_servers: wanted },
    });
    return presentSecret(row);
  });
}
