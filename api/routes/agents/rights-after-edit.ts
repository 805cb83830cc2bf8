import type { EditorRights } from '../../../commands/agents/withdraw-after-change.ts';
import type { Agent } from '../../../contract/agent.ts';
import { needsAdmin } from '../../../store/grants/scope-approvers.ts';
import { mayGrantAfterEdit } from '../../policies/agents.ts';
import { grantMaker } from '../../policies/grant-maker.ts';
import type { InWorkspace } from '../../route.ts';

/** What the agent keeps of its grants and channels after this editor's change; what the rule needs is read in the change's own transaction. */
export const rightsAfterEdit = (
  editor: Pick<InWorkspace, 'user' | 'role' | 'workspace'>,
  agent: Pick<Agent, 'owner_id'>,
): EditorRights => ({
  mayList: editor.role === 'admin',
  mayCreate: async (grant, trx) =>
    mayGrantAfterEdit(grantMaker(editor), grant, {
      agentOwnerId: agent.owner_id,
      adminScope: await needsAdmin(trx, editor.workspace.id, grant.details),
    }),
});
