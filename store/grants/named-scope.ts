import type { Db } from '../database.ts';

/** Whether anything gates on the scope: an entry of the workspace's catalog, or a session that froze one which did. */
export async function isScopeNamed(db: Db, workspaceId: string, scope: string): Promise<boolean> {
  const { rows } = await db.raw(
    `select where exists (
       select from mcp_servers entry, jsonb_each_text(entry.manifest -> 'tool_scopes') as gate
       where entry.workspace_id = :workspaceId and gate.value = :scope
     ) or exists (
       select from sessions
       join session_configurations frozen on frozen.session_id = sessions.id
       cross join jsonb_array_elements(frozen.configuration -> 'servers') as server
       cross join jsonb_each_text(server -> 'tool_scopes') as gate
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null and gate.value = :scope
     )`,
    { workspaceId, scope },
  );
  return rows.length > 0;
}
