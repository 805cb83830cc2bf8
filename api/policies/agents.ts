/** Who may change an agent and what is attached to it. */
import type { Agent } from '../../contract/agent.ts';
import { knownGrantType, type StoredGrant } from '../../contract/grant.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { needsAdmin } from '../../store/grants/scope-approvers.ts';
import type { InWorkspace } from '../route.ts';
import { grantMaker } from './grant-maker.ts';
import { whyNotGrant } from './grants.ts';
import type { Refusal } from './refusal.ts';

export interface AgentEditor {
  userId: string;
  role: WorkspaceRole;
}

export function whyNotEditAgent({ userId, role }: AgentEditor, agent: Pick<Agent, 'owner_id'>): Refusal {
  return role === 'admin' || agent.owner_id === userId
    ? null
    : 'Only a workspace admin or the owner of the agent may change it';
}

/**
 * Whether an editor of the agent could create this grant, so that it survives their edit of what the agent
 * runs. Ownership decides, not a session: an editor who is not an admin owns the agent.
 */
export async function mayGrantAfterEdit(
  db: Db,
  editor: Pick<InWorkspace, 'user' | 'role' | 'workspace'>,
  agent: Pick<Agent, 'owner_id'>,
  grant: StoredGrant,
): Promise<boolean> {
  const refusal = whyNotGrant(grantMaker(editor), {
    grantType: knownGrantType(grant),
    scope: grant.scope,
    userSubjectId: grant.user_subject_id,
    agentOwnerId: agent.owner_id,
    session: null,
    adminScope: await needsAdmin(db, editor.workspace.id, grant.details),
  });
  return refusal === null;
}
