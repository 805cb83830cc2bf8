import type { Transaction } from '../database.ts';

/**
 * Serialises transactions that count and create for a user or a workspace: of two at the limit one is refused.
 * Where both are locked, the user comes first.
 */
export async function lockQuota(
  trx: Transaction,
  of: { userId: string } | { workspaceId: string },
): Promise<void> {
  const name = 'userId' in of ? `quota of user ${of.userId}` : `quota of workspace ${of.workspaceId}`;
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}
