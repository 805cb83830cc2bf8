import type { MayCreate } from '../../../commands/agents/revoke-after-change.ts';
import type { Agent } from '../../../contract/agent.ts';
import { needsAdmin } from '../../../store/grants/scope-approvers.ts';
import { mayGrantAfterEdit } from '../../policies/agents.ts';
import { grantMaker } from '../../policies/grant-maker.ts';
import type { InWorkspace } from '../../route.ts';

/** Which of the agent's grants survive this editor's change; what the rule needs is read in the change's own transaction. */
export const grantsAfterEdit =
  (editor: Pick<InWorkspace, 'user' | 'role' | 'workspace'>, agent: Pick<Agent, 'owner_id'>): MayCreate =>
  async (grant, trx) =>
    mayGrantAfterEdit(grantMaker(editor), grant, {
      agentOwnerId: agent.owner_id,
      adminScope: await needsAdmin(trx, editor.workspace.id, grant.details),
    });
