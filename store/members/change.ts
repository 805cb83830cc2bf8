import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Transaction } from '../database.ts';
import { onlyRow } from '../read-rows.ts';

export interface MemberKey {
  workspaceId: string;
  userId: string;
}

/** Adds the member, or changes their role. Returns when they were added. */
export async function upsertMember(
  trx: Transaction,
  { workspaceId, userId }: MemberKey,
  role: WorkspaceRole,
): Promise<string> {
  const rows = await trx('members')
    .insert({ workspace_id: workspaceId, user_id: userId, role })
    .onConflict(['workspace_id', 'user_id'])
    .merge({ role })
    .returning('added_at');
  return onlyRow(rows).added_at;
}

/** Deletes the membership, if there is one, once the transactions that hold it (`lockMembers`) have ended. */
export async function deleteMember(trx: Transaction, { workspaceId, userId }: MemberKey): Promise<void> {
  await trx('members').where({ workspace_id: workspaceId, user_id: userId }).delete();
}
