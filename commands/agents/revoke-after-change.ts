import type { StoredGrant } from '../../contract/grant.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { listActiveGrantsOfAgent } from '../../store/grants/read.ts';
import { revokeGrant } from '../grants/revoke.ts';

/** Whether the editor of an agent may create this grant: others are revoked when what runs with them changes. */
export type MayCreate = (grant: StoredGrant, trx: Db) => Promise<boolean>;

/** Revokes the agent's active grants that its editor could not have made. Takes a transaction that locked the agent. */
export async function revokeAfterChange(
  trx: Db,
  { agentId, by, mayCreate }: { agentId: string; by: Actor; mayCreate: MayCreate },
): Promise<void> {
  for (const grant of await listActiveGrantsOfAgent(trx, agentId)) {
    if (!(await mayCreate(grant, trx))) {
      await revokeGrant(trx, grant.id, by, 'agent_changed');
    }
  }
}
