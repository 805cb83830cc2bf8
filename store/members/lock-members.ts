import type { Knex } from 'knex';

/**
 * Returns those of the users who are members of the workspace, and locks their memberships until the transaction ends,
 * waiting for removals in progress: a later removal sees what the transaction writes for a member.
 */
export async function lockMembers(
  trx: Knex.Transaction,
  workspaceId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const found = await trx('members')
    .where({ workspace_id: workspaceId })
    .whereIn('user_id', [...userIds])
    .orderBy('user_id')
    .forKeyShare()
    .pluck('user_id');
  return new Set(found);
}
