import type { Transaction } from '../database.ts';
import { lockQuota } from './lock-quota.ts';
import { QuotaExceededError } from './quota-exceeded.ts';

const nameOf = { agents: 'agents', mcp_servers: 'catalog entries' } as const;

/** Throws QuotaExceededError unless the workspace may have one more; the count cannot change until the transaction ends. */
export async function requireRoomInWorkspace(
  trx: Transaction,
  workspaceId: string,
  table: keyof typeof nameOf,
  { limit }: { limit: number },
): Promise<void> {
  await lockQuota(trx, { workspaceId });
  const taken = await trx(table).where({ workspace_id: workspaceId }).limit(limit).select('id');
  if (taken.length >= limit) {
    throw new QuotaExceededError(limit, `${nameOf[table]} per workspace; remove one first`);
  }
}
