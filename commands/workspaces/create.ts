import type { User, Workspace } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { upsertMember } from '../../store/members/change.ts';
import { lockQuota } from '../../store/quotas/lock-quota.ts';
import { insertWorkspace } from '../../store/workspaces/change.ts';
import { requireHourlyQuota } from '../quotas/hourly-quota.ts';

/**
 * Creates a workspace with `creator` as its first admin; null when the slug is taken. Throws QuotaExceededError when the
 * creator has made `perHour` within the last hour.
 */
export async function createWorkspace(
  db: Db,
  input: { slug: string; name: string },
  creator: User,
  quota: { perHour: number } | null = null,
): Promise<Workspace | null> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await lockQuota(trx, { userId: creator.id });
      await requireHourlyQuota(trx, {
        limit: quota.perHour,
        what: 'new workspaces an hour per user',
        event: 'workspace.created',
        of: { userId: creator.id },
      });
    }
    const workspace = await insertWorkspace(trx, input);
    if (workspace === null) {
      return null;
    }
    await upsertMember(trx, { workspaceId: workspace.id, userId: creator.id }, 'admin');
    const actor = { type: 'user', id: creator.id } as const;
    const resource = { type: 'workspace', id: workspace.id, name: workspace.slug };
    await appendAuditEvent(trx, { workspaceId: workspace.id, event: 'workspace.created', actor, resource });
    await appendAuditEvent(trx, {
      workspaceId: workspace.id,
      event: 'workspace.member.added',
      actor,
      resource: { type: 'user', id: creator.id, name: creator.email },
      data: { role: 'admin' },
    });
    return workspace;
  });
}
