import { z } from 'zod';
import type { Db } from '../database.ts';

/** Those of the scopes that something gates on: an entry of the workspace's catalog, or what a running session froze. */
export async function scopesNamed(
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
       where entry.workspace_id = :workspaceId
         and jsonb_path_query_array(entry.manifest, '$.tool_scopes.*') @> to_jsonb(wanted.scope)
     ) or exists (
       select from sessions
       join session_configurations frozen on frozen.session_id = sessions.id
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null
         and jsonb_path_query_array(frozen.configuration, '$.servers[*].tool_scopes.*') @> to_jsonb(wanted.scope)
     )`,
    { workspaceId, scopes: [...new Set(scopes)] },
  );
  return new Set(
    z
      .array(z.object({ scope: z.string() }))
      .parse(rows)
      .map(({ scope }) => scope),
  );
}
