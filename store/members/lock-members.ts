import type { Knex } from 'knex';

/**
 * Those of the users who are members of the workspace. Their memberships stay until the transaction ends, and a removal
 * that is under way is waited for: what the transaction writes for a member is there when their removal looks for it.
 */
export async function lockMembers(
  trx: Knex.Transaction,
  workspaceId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const found: string[] = await trx('members')
    .where({ workspace_id: workspaceId })
    .whereIn('user_id', [...userIds])
    .orderBy('user_id')
    .forKeyShare()
    .pluck('user_id');
  return new Set(found);
}
