import { z } from 'zod';
import type { Db } from '../database.ts';

/**
 * Those of the scopes whose approval a catalog entry keeps to admins (design 4, `approvers`). A session goes on gating
 * with the manifest that it froze, so the scopes that running sessions have of such an entry count as well.
 */
export async function scopesThatNeedAdmin(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
): Promise<Set<string>> {
  if (scopes.length === 0) {
    return new Set();
  }
  const { rows } = await db.raw(
    `select wanted.scope from unnest(:scopes::text[]) as wanted(scope)
     where exists (
       select from mcp_servers entry
       where entry.workspace_id = :workspaceId and entry.approvers = 'admin' and (
         exists (select from jsonb_each_text(entry.manifest -> 'tool_scopes') as gate where gate.value = wanted.scope)
         or exists (
           select from sessions
           join session_configurations frozen on frozen.session_id = sessions.id
           cross join jsonb_array_elements(frozen.configuration -> 'servers') as server
           cross join jsonb_each_text(server -> 'tool_scopes') as gate
           where sessions.workspace_id = :workspaceId and sessions.ended_at is null
             and server ->> 'entry_id' = cast(entry.id as text) and gate.value = wanted.scope
         )
       )
     )`,
    { workspaceId, scopes: [...new Set(scopes)] },
  );
  const found = z.array(z.object({ scope: z.string() })).parse(rows);
  return new Set(found.map(({ scope }) => scope));
}

/** Whether the details name such a scope; false for details without a scope. */
export async function needsAdmin(
  db: Db,
  workspaceId: string,
  { scope }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return typeof scope === 'string' && (await scopesThatNeedAdmin(db, workspaceId, [scope])).size > 0;
}
