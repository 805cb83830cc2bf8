/** Who may change an agent and what is attached to it (design 4). */
import type { Agent } from '../../contract/agent.ts';
import type { Grant } from '../../contract/grant.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { scopeNeedsAdmin } from '../../store/grants/scope-approvers.ts';
import { forbidden } from '../errors.ts';
import type { InWorkspace } from '../route.ts';

export interface AgentEditor {
  user: { id: string };
  role: WorkspaceRole;
}

export function mayEditAgent({ user, role }: AgentEditor, agent: Pick<Agent, 'owner_id'>): boolean {
  return role === 'admin' || agent.owner_id === user.id;
}

/** Throws 403 `forbidden` unless the user is an admin or owns the agent. */
export function requireAgentEditor(editor: AgentEditor, agent: Pick<Agent, 'owner_id'>): void {
  if (!mayEditAgent(editor, agent)) {
    throw forbidden('Only a workspace admin or the owner of the agent may change it');
  }
}

/**
 * Whether an editor of the agent could create this grant of its, so that it may outlive their edit of what the agent
 * runs. An editor who is no admin owns the agent (`requireAgentEditor`).
 */
export async function mayGrantAfterEdit(
  db: Db,
  { role, workspace }: Pick<InWorkspace, 'role' | 'workspace'>,
  grant: Grant,
): Promise<boolean> {
  if (role === 'admin') {
    return true;
  }
  if (grant.grant_type === 'agent_env') {
    return false;
  }
  if (grant.scope === 'persistent' && !workspace.settings.members_grant_persistent) {
    return false;
  }
  const { scope } = grant.details;
  return typeof scope !== 'string' || !(await scopeNeedsAdmin(db, workspace.id, scope));
}
