import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';

export interface WorkspaceOfUser {
  id: string;
  slug: string;
  name: string;
  role: WorkspaceRole;
}

/** Every workspace that the user is a member of, by slug. */
export async function listWorkspacesOfUser(db: Db, userId: string): Promise<WorkspaceOfUser[]> {
  return db('workspaces as w')
    .join('members as m', 'm.workspace_id', 'w.id')
    .where('m.user_id', userId)
    .orderBy('w.slug')
    .select('w.id', 'w.slug', 'w.name', 'm.role');
}
