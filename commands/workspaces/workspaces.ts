/** A workspace is created, and its settings change. */
import type { Actor } from '../../contract/session-event.ts';
import type { User, Workspace, WorkspaceSettings } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { upsertMember } from '../../store/members/members.ts';
import { lockQuota } from '../../store/quotas/quotas.ts';
import { insertWorkspace, lockWorkspace, updateWorkspaceRow } from '../../store/workspaces/workspaces.ts';
import { requireHourlyQuota } from '../quotas/quotas.ts';

/**
 * Creates a workspace with `creator` as its first admin; null when the slug is taken. Throws
 * QuotaExceededError when the creator has made `perHour` within the last hour.
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
    const own = { workspaceId: workspace.id, userId: creator.id };
    await upsertMember(trx, own, { role: 'admin', made_by: 'person' });
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

interface WorkspaceChange {
  name?: string | undefined;
  settings?: { [Setting in keyof WorkspaceSettings]?: WorkspaceSettings[Setting] | undefined } | undefined;
}

/**
 * Changes name and settings. An update without changes writes no event. Throws when the workspace does not
 * exist.
 */
export async function updateWorkspace(
  db: Db,
  workspaceId: string,
  change: WorkspaceChange,
  actor: Actor,
): Promise<Workspace> {
  return inTransaction(db, async (trx) => {
    const before = await lockWorkspace(trx, workspaceId);
    const stored = { name: before.name, ...before.settings };
    const wanted = { ...(change.name !== undefined && { name: change.name }), ...change.settings };
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(
        ([name, value]) => value !== undefined && stored[name as keyof typeof stored] !== value,
      ),
    );
    if (Object.keys(changed).length === 0) {
      return before;
    }
    const workspace = await updateWorkspaceRow(trx, workspaceId, changed);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.settings_updated',
      actor,
      resource: { type: 'workspace', id: workspaceId, name: workspace.slug },
      data: { changed },
    });
    return workspace;
  });
}
