/** Who may change an agent and what is attached to it (design 4). */
import type { Agent } from '../../contract/agent.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import { forbidden } from '../errors.ts';

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
