import type { Actor } from '../../contract/session-event.ts';
import type { Member, WorkspaceRole } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { upsertMember } from '../../store/members/change.ts';
import { isLastAdmin } from '../../store/members/last-admin.ts';
import { readMember } from '../../store/members/list.ts';
import { readUser } from '../../store/users/read.ts';

export type PutMember = { result: 'done'; member: Member } | { result: 'unknown_user' | 'last_admin' };

/** Adds a user to the workspace or changes their role. An unchanged role writes no event. */
export async function putMember(
  db: Db,
  { workspaceId, userId, role, by }: { workspaceId: string; userId: string; role: WorkspaceRole; by: Actor },
): Promise<PutMember> {
  return inTransaction(db, async (trx) => {
    const lastAdmin = await isLastAdmin(trx, workspaceId, userId);
    const user = await readUser(trx, userId);
    if (user === null) {
      return { result: 'unknown_user' };
    }
    const before = await readMember(trx, workspaceId, userId);
    if (before?.role === role) {
      return { result: 'done', member: before };
    }
    if (lastAdmin) {
      return { result: 'last_admin' };
    }
    const addedAt = await upsertMember(trx, { workspaceId, userId }, role);
    await appendAuditEvent(trx, {
      workspaceId,
      event: before === null ? 'workspace.member.added' : 'workspace.member.role_changed',
      actor: by,
      resource: { type: 'user', id: user.id, name: user.email },
      data: before === null ? { role } : { from: before.role, role },
    });
    return { result: 'done', member: { user, role, added_at: addedAt } };
  });
}
