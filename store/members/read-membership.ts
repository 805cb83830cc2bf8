import type { Workspace, WorkspaceRole } from '../../contract/workspace.ts';
import { type Db, prepared } from '../database.ts';
import { presentWorkspace, type WorkspaceRow } from '../workspaces/row.ts';

export type MembershipKey = { slug: string } | { workspaceId: string };

/**
 * The workspace and the user's role in it, or null when there is no such workspace or the user is not a member.
 * Read at each use, so that a removal takes effect with the next request.
 */
export async function readMembership(
  db: Db,
  userId: string,
  key: MembershipKey,
): Promise<{ workspace: Workspace; role: WorkspaceRole } | null> {
  const bySlug = 'slug' in key;
  const [row] = await prepared<WorkspaceRow & { role: WorkspaceRole }>(
    db,
    bySlug ? 'read-membership-by-slug' : 'read-membership-by-id',
    `select w.*, m.role from workspaces w join members m on m.workspace_id = w.id and m.user_id = $1
     where ${bySlug ? 'w.slug = $2' : 'w.id = $2'}`,
    [userId, bySlug ? key.slug : key.workspaceId],
  );
  return row === undefined ? null : { workspace: presentWorkspace(row), role: row.role };
}
