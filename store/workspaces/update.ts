import type { Actor } from '../../contract/session-event.ts';
import type { Workspace, WorkspaceSettings } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { presentWorkspace } from './row.ts';

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
    const before = await trx('workspaces').where({ id: workspaceId }).forUpdate().first();
    const wanted = { ...(change.name !== undefined && { name: change.name }), ...change.settings };
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(([name, value]) => value !== undefined && before[name] !== value),
    );
    if (Object.keys(changed).length === 0) {
      return presentWorkspace(before);
    }
    const [row] = await trx('workspaces')
      .where({ id: workspaceId })
      .update({ ...changed, updated_at: trx.fn.now() })
      .returning('*');
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.settings_updated',
      actor,
      resource: { type: 'workspace', id: workspaceId, name: row.slug },
      data: { changed },
    });
    return presentWorkspace(row);
  });
}
