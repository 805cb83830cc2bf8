import {
  type EmbeddingProvider,
  type EmbeddingProviderInput,
  embeddingProvider,
} from '../../contract/embedding-provider.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow } from '../read-rows.ts';

const columns = ['base_url', 'model', 'dimensions', 'api_key', 'updated_at', 'updated_by'] as const;

/** The provider of a workspace; null where texts are embedded by the platform itself. */
export async function readEmbeddingProvider(db: Db, workspaceId: string): Promise<EmbeddingProvider | null> {
  const row = await db('embedding_providers')
    .where({ workspace_id: workspaceId })
    .first(...columns);
  return row === undefined ? null : embeddingProvider.parse(row);
}

/** Takes a transaction that locked the workspace. */
export async function storeEmbeddingProvider(
  trx: Transaction,
  workspaceId: string,
  provider: EmbeddingProviderInput,
  userId: string,
): Promise<EmbeddingProvider> {
  const rows = await trx('embedding_providers')
    .insert({ workspace_id: workspaceId, ...provider, updated_by: userId })
    .onConflict('workspace_id')
    .merge({ ...provider, updated_at: trx.fn.now(), updated_by: userId })
    .returning([...columns]);
  return embeddingProvider.parse(onlyRow(rows));
}

/** Takes a transaction that locked the workspace. Says whether there was one. */
export async function deleteEmbeddingProvider(trx: Transaction, workspaceId: string): Promise<boolean> {
  return (await trx('embedding_providers').where({ workspace_id: workspaceId }).delete()) > 0;
}
