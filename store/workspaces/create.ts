import type { User, Workspace } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { presentWorkspace } from './row.ts';

/** Creates a workspace with `creator` as its first admin; null when the slug is taken. */
export async function createWorkspace(
  db: Db,
  input: { slug: string; name: string },
  creator: User,
): Promise<Workspace | null> {
  return inTransaction(db, async (trx) => {
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
