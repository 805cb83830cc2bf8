import type { Actor } from '../../contract/session-event.ts';
import type { Member, WorkspaceRole } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { readUser } from '../users/read.ts';
import { isLastAdmin } from './last-admin.ts';
import { readMember } from './list.ts';

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
    const [{ added_at }] = await trx('members')
      .insert({ workspace_id: workspaceId, user_id: userId, role })
      .onConflict(['workspace_id', 'user_id'])
      .merge({ role })
      .returning('added_at');
    await appendAuditEvent(trx, {
      workspaceId,
      event: before === null ? 'workspace.member.added' : 'workspace.member.role_changed',
      actor: by,
      resource: { type: 'user', id: user.id, name: user.email },
      data: before === null ? { role } : { from: before.role, role },
    });
    return { result: 'done', member: { user, role, added_at } };
  });
}
