import type { Transaction } from '../../store/database.ts';
import { countInWorkspace } from '../../store/quotas/counts.ts';
import { lockQuota } from '../../store/quotas/lock-quota.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

const nameOf = {
  agents: 'agents',
  channels: 'channels',
  mcp_servers: 'catalog entries',
  schedules: 'schedules',
} as const;

/** Throws QuotaExceededError unless the workspace may have one more; the count cannot change until the transaction ends. */
export async function requireRoomInWorkspace(
  trx: Transaction,
  workspaceId: string,
  what: keyof typeof nameOf,
  { limit }: { limit: number },
): Promise<void> {
  await lockQuota(trx, { workspaceId });
  if ((await countInWorkspace(trx, what, workspaceId, limit)) >= limit) {
    throw new QuotaExceededError(limit, `${nameOf[what]} per workspace; remove one first`);
  }
}
