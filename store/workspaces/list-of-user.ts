import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

const workspaceOfUser = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  role: workspaceRole,
  closed_at: timestamp.nullable(),
  reopenable_until: timestamp.nullable(),
});
export type WorkspaceOfUser = z.infer<typeof workspaceOfUser>;

/** Every workspace that the user is a member of, by slug. */
export async function listWorkspacesOfUser(db: Db, userId: string): Promise<WorkspaceOfUser[]> {
  const query = db('workspaces as w')
    .join('members as m', 'm.workspace_id', 'w.id')
    .where('m.user_id', userId)
    .orderBy('w.slug')
    .select('w.id', 'w.slug', 'w.name', 'm.role', 'w.closed_at', 'w.reopenable_until');
  return readRows(query, workspaceOfUser);
}
