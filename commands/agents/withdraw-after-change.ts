/** What an agent loses when somebody changes what runs as it. */
import type { StoredGrant } from '../../contract/grant.ts';
import type { Db, Transaction } from '../../store/database.ts';
import { listActiveGrantsOfAgent } from '../../store/grants/read.ts';
import { unlistFromChannels } from '../channels/unlist-agent.ts';
import { revokeGrant } from '../grants/revoke.ts';

/** What the editor of an agent could have decided about it. */
export interface EditorRights {
  /** Whether they may create this grant. */
  mayCreate(grant: StoredGrant, trx: Db): Promise<boolean>;
  /** Whether they may list agents for channels. */
  mayList: boolean;
}

/** Withdraws what the agent's editor could not have given it: active grants, and its places in channels. Takes a transaction that locked the agent. */
export async function withdrawAfterChange(
  trx: Transaction,
  agent: { id: string; workspaceId: string },
  { userId, rights }: { userId: string; rights: EditorRights },
): Promise<void> {
  for (const grant of await listActiveGrantsOfAgent(trx, agent.id)) {
    if (!(await rights.mayCreate(grant, trx))) {
      await revokeGrant(trx, grant.id, { type: 'user', id: userId }, 'agent_changed');
    }
  }
  if (!rights.mayList) {
    await unlistFromChannels(trx, { workspaceId: agent.workspaceId, agentId: agent.id, userId });
  }
}
