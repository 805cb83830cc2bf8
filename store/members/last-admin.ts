import type { Knex } from 'knex';

/**
 * Whether the user is the only admin. The workspace's row is locked first, so that two admins who remove each other
 * at the same time do not leave a workspace without one. The lock does not block rows that only reference the workspace.
 */
export async function isLastAdmin(
  trx: Knex.Transaction,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  await trx('workspaces').where({ id: workspaceId }).forNoKeyUpdate().first('id');
  const admins = await trx('members')
    .where({ workspace_id: workspaceId, role: 'admin' })
    .limit(2)
    .select('user_id');
  return admins.length === 1 && admins[0]?.user_id === userId;
}
