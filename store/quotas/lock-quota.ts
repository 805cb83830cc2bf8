import type { Transaction } from '../database.ts';

/** Whose quota it is. */
export type QuotaHolder = { userId: string } | { workspaceId: string };

/** Serialises transactions that count and create for a user or a workspace: of two at the limit one is refused. */
export async function lockQuota(trx: Transaction, of: QuotaHolder): Promise<void> {
  const name = 'userId' in of ? `quota of user ${of.userId}` : `quota of workspace ${of.workspaceId}`;
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}

/** Locks the quotas of a user and of a workspace; the user comes first wherever both are locked. */
export async function lockBothQuotas(
  trx: Transaction,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<void> {
  await lockQuota(trx, { userId });
  await lockQuota(trx, { workspaceId });
}
