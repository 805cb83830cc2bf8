import type { RevocationCause } from '../../contract/grant.ts';
import type { Actor } from '../../contract/session-event.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { type GrantsToRevoke, revokeActiveGrants } from '../../store/grants/change.ts';
import { auditGrant } from './audit.ts';

/** Revokes an active grant; consumed, expired and revoked are final. Returns whether it changed. */
export async function revokeGrant(
  db: Db,
  id: string,
  by: Actor,
  cause: RevocationCause = 'by_hand',
): Promise<boolean> {
  return (await revoke(db, { id }, by, cause)) > 0;
}

/**
 * Revokes the active grants that a user holds in a workspace, e.g. on their removal from it. Returns
 * how many grants changed.
 */
export function revokeGrantsOfUserInWorkspace(
  db: Db,
  { workspaceId, userId, by }: { workspaceId: string; userId: string; by: Actor },
): Promise<number> {
  return revoke(db, { workspaceId, userId }, by, 'member_removed');
}

/** Revokes `limit` active grants at most of a workspace that was closed. Returns how many. */
export function revokeGrantsInWorkspace(
  db: Db,
  { workspaceId, by, limit }: { workspaceId: string; by: Actor; limit: number },
): Promise<number> {
  return revoke(db, { workspaceId, limit }, by, 'workspace_closed');
}

function revoke(db: Db, which: GrantsToRevoke, by: Actor, cause: RevocationCause): Promise<number> {
  return inTransaction(db, async (trx) => {
    const revoked = await revokeActiveGrants(trx, which);
    for (const grant of revoked) {
      await auditGrant(trx, 'grant.revoked', by, grant, { cause });
    }
    return revoked.length;
  });
}
