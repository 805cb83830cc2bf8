import type { Db } from '../database.ts';

/** Whether a catalog entry that gates on the scope keeps its approval to admins (design 4, `approvers`). */
export async function scopeNeedsAdmin(db: Db, workspaceId: string, scope: string): Promise<boolean> {
  const entry = await db('mcp_servers')
    .where({ workspace_id: workspaceId, approvers: 'admin' })
    .whereRaw(
      `exists (select from jsonb_each_text(manifest -> 'tool_scopes') as gate where gate.value = ?)`,
      [scope],
    )
    .first('id');
  return entry !== undefined;
}
