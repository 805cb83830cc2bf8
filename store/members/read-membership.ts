import { type Workspace, type WorkspaceRole, workspaceRole } from '../../contract/workspace.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { presentWorkspace, workspaceRow } from '../workspaces/row.ts';

const row = workspaceRow.extend({ role: workspaceRole });

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
  const statement = prepared(
    db,
    bySlug ? 'read-membership-by-slug' : 'read-membership-by-id',
    `select w.*, m.role from workspaces w join members m on m.workspace_id = w.id and m.user_id = $1
     where ${bySlug ? 'w.slug = $2' : 'w.id = $2'}`,
    [userId, bySlug ? key.slug : key.workspaceId],
  );
  const [found] = await readRows(statement, row);
  return found === undefined ? null : { workspace: presentWorkspace(found), role: found.role };
}
