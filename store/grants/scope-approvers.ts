import { z } from 'zod';
import type { Db } from '../database.ts';

/**
 * Those of the scopes that need an admin's grant (design 4, `approvers`): a catalog entry that names the scope keeps it to
 * admins, or a running session froze it and its entry, as it was frozen or as it is today, does. The check of a call
 * (`check-and-consume.ts`) asks the same of its own session.
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
       where entry.workspace_id = :workspaceId and entry.approvers = 'admin'
         and jsonb_path_query_array(entry.manifest, '$.tool_scopes.*') @> to_jsonb(wanted.scope)
     ) or exists (
       select from sessions
       join session_configurations frozen on frozen.session_id = sessions.id
       cross join jsonb_array_elements(frozen.configuration -> 'servers') as server
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null
         and jsonb_path_query_array(server, '$.tool_scopes.*') @> to_jsonb(wanted.scope)
         and (server ->> 'approvers' = 'admin' or exists (
           select from mcp_servers entry
           where entry.workspace_id = :workspaceId and entry.approvers = 'admin'
             and server ->> 'entry_id' = cast(entry.id as text)
         ))
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
