/** The embedding provider of a workspace is set and removed. */
import { isDeepStrictEqual } from 'node:util';
import {
  type EmbeddingProvider,
  type EmbeddingProviderInput,
  embeddingProviderInput,
} from '../../contract/embedding-provider.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  deleteEmbeddingProvider,
  readEmbeddingProvider,
  storeEmbeddingProvider,
} from '../../store/embedding-providers/embedding-providers.ts';
import { lockWorkspace } from '../../store/workspaces/workspaces.ts';

/**
 * Sets the provider that embeds the workspace's texts. What is the same as before writes no event. The event
 * has the name of the key's secret.
 */
export async function setEmbeddingProvider(
  db: Db,
  workspaceId: string,
  provider: EmbeddingProviderInput,
  userId: string,
): Promise<EmbeddingProvider> {
  return inTransaction(db, async (trx) => {
    const workspace = await lockWorkspace(trx, workspaceId);
    const before = await readEmbeddingProvider(trx, workspaceId);
    const known = before === null ? null : embeddingProviderInput.strip().parse(before);
    if (before !== null && isDeepStrictEqual(known, provider)) {
      return before;
    }
    const stored = await storeEmbeddingProvider(trx, workspaceId, provider, userId);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.embedding_provider.set',
      actor: { type: 'user', id: userId },
      resource: { type: 'workspace', id: workspaceId, name: workspace.slug },
      data: { ...provider },
    });
    return stored;
  });
}

/**
 * Removes the provider: new collections of texts are embedded by the platform itself then. Idempotent,
 * without a second event.
 */
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
