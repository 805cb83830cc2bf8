import type { Db } from '../database.ts';

/**
 * Whether a catalog entry that gates on the details' scope keeps its approval to admins (design 4, `approvers`); false for
 * details without a scope. A session goes on gating with the manifest that it froze, so the scopes that running sessions
 * have of such an entry count as well.
 */
export async function needsAdmin(
  db: Db,
  workspaceId: string,
  { scope }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (typeof scope !== 'string') {
    return false;
  }
  const { rows } = await db.raw(
    `select 1 from mcp_servers entry
     where entry.workspace_id = :workspaceId and entry.approvers = 'admin' and (
       exists (select from jsonb_each_text(entry.manifest -> 'tool_scopes') as gate where gate.value = :scope)
       or exists (
         select from sessions
         join session_configurations frozen on frozen.session_id = sessions.id
         cross join jsonb_array_elements(frozen.configuration -> 'servers') as server
         cross join jsonb_each_text(server -> 'tool_scopes') as gate
         where sessions.workspace_id = :workspaceId and sessions.ended_at is null
           and server ->> 'entry_id' = cast(entry.id as text) and gate.value = :scope
       )
     )
     limit 1`,
    { workspaceId, scope },
  );
  return rows.length > 0;
}
