import { z } from 'zod';
import type { Db } from '../database.ts';

/**
 * Returns those of the scopes that need an admin's grant (design 4, `approvers`): a catalog entry that names the scope restricts
 * it to admins, or a running session froze the scope and its entry, frozen or current, does. The check of a call
 * (`check-and-consume.ts`) applies the same rule to its own session. Each entry and session is read once, for any number of scopes.
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
    `select distinct scope from (
       select jsonb_path_query(entry.manifest, '$.tool_scopes.*') #>> '{}' as scope
       from mcp_servers entry
       where entry.workspace_id = :workspaceId and entry.approvers = 'admin'
       union all
       select jsonb_path_query(server, '$.tool_scopes.*') #>> '{}'
       from sessions
       join session_configurations frozen on frozen.session_id = sessions.id
       cross join jsonb_array_elements(frozen.configuration -> 'servers') as server
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null
         and (server ->> 'approvers' = 'admin' or server ->> 'entry_id' in (
           select cast(entry.id as text) from mcp_servers entry
           where entry.workspace_id = :workspaceId and entry.approvers = 'admin'
         ))
     ) as kept
     where scope = any(:scopes::text[])`,
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
