/** Who may change an agent and what is attached to it. */
import type { Agent } from '../../contract/agent.ts';
import type { StoredGrant } from '../../contract/grant.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import { type GrantFacts, type GrantMaker, storedGrantInQuestion, whyNotGrant } from './grants.ts';
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
export function mayGrantAfterEdit(
  maker: GrantMaker,
  grant: StoredGrant,
  { agentOwnerId, adminScope }: Pick<GrantFacts, 'agentOwnerId' | 'adminScope'>,
): boolean {
  const asked = storedGrantInQuestion(grant, { agentOwnerId, session: null, adminScope });
  return whyNotGrant(maker, asked) === null;
}
