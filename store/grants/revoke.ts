import type { RevocationCause } from '../../contract/grant.ts';
import type { Actor } from '../../contract/session-event.ts';
import { type Db, inTransaction } from '../database.ts';
import { auditGrant } from './audit.ts';
import { type GrantRow, grantColumns, presentStoredGrant } from './row.ts';

/** Revokes an active grant; consumed, expired and revoked are final. Returns whether it changed. */
export async function revokeGrant(
  db: Db,
  id: string,
  by: Actor,
  cause: RevocationCause = 'by_hand',
): Promise<boolean> {
  return (await revoke(db, { id }, by, cause)) > 0;
}

/** Revokes the active grants that a user holds in a workspace, e.g. on their removal from it. Returns how many grants changed. */
export function revokeGrantsOfUserInWorkspace(
  db: Db,
  { workspaceId, userId, by }: { workspaceId: string; userId: string; by: Actor },
): Promise<number> {
  return revoke(db, { workspace_id: workspaceId, user_subject_id: userId }, by, 'member_removed');
}

function revoke(
  db: Db,
  which: Partial<Pick<GrantRow, 'id' | 'workspace_id' | 'user_subject_id'>>,
  by: Actor,
  cause: RevocationCause,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows: GrantRow[] = await trx('active_grants')
      .where(which)
      .update({ revoked_at: trx.fn.now() })
      .returning([...grantColumns]);
    for (const grant of rows.map(presentStoredGrant)) {
      await auditGrant(trx, 'grant.revoked', by, grant, { cause });
    }
    return rows.length;
  });
}
