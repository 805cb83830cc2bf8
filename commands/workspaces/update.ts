import type { Actor } from '../../contract/session-event.ts';
import type { Workspace, WorkspaceSettings } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { lockWorkspace, updateWorkspaceRow } from '../../store/workspaces/change.ts';

export interface WorkspaceChange {
  name?: string | undefined;
  settings?: { [Setting in keyof WorkspaceSettings]?: WorkspaceSettings[Setting] | undefined } | undefined;
}

/** Changes name and settings. An update without changes writes no event. Throws when the workspace does not exist. */
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
