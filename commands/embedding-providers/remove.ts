import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { deleteEmbeddingProvider } from '../../store/embedding-providers/embedding-providers.ts';
import { lockWorkspace } from '../../store/workspaces/change.ts';

/** Removes the provider: new collections of texts are embedded by the platform itself then. Idempotent, without a second event. */
export async function removeEmbeddingProvider(db: Db, workspaceId: string, userId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const workspace = await lockWorkspace(trx, workspaceId);
    if (await deleteEmbeddingProvider(trx, workspaceId)) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.embedding_provider.removed',
        actor: { type: 'user', id: userId },
        resource: { type: 'workspace', id: workspaceId, name: workspace.slug },
      });
    }
  });
}
