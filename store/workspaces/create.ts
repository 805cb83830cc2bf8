import type { User, Workspace } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { requireHourlyQuota } from '../quotas/created-in-hour.ts';
import { lockQuota } from '../quotas/lock-quota.ts';
import { presentWorkspace } from './row.ts';

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
        of: { actor_id: creator.id },
      });
    }
    const [row] = await trx('workspaces').insert(input).onConflict('slug').ignore().returning('*');
    if (row === undefined) {
      return null;
    }
    const workspace = presentWorkspace(row);
    await trx('members').insert({ workspace_id: workspace.id, user_id: creator.id, role: 'admin' });
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
