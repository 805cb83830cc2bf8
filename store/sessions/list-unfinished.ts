import { terminalStatus } from '../../contract/session.ts';
import type { Db } from '../database.ts';

/** Ids of the sessions that a user drives, directly or from the top of their tree, and that have not ended. */
export async function listUnfinishedSessionsOfUser(
  db: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<string[]> {
  const rows = await db('sessions')
    .where({ workspace_id: workspaceId })
    .where((either) => either.where('operator_id', userId).orWhere('root_operator_id', userId))
    .whereNotIn('status', terminalStatus.options)
    .orderBy('created_at')
    .select<{ id: string }[]>('id');
  return rows.map(({ id }) => id);
}
