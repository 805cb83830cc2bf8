import type { InWorkspace } from '../route.ts';
import type { GrantMaker } from './grants.ts';

/** A signed-in member as the policies of grants see them. */
export function grantMaker({
  user,
  role,
  workspace,
}: Pick<InWorkspace, 'user' | 'role' | 'workspace'>): GrantMaker {
  return { userId: user.id, role, membersGrantPersistent: workspace.settings.members_grant_persistent };
}
