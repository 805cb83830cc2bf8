import { z } from 'zod';
import type { Db } from '../database.ts';

/**
 * Returns those of the scopes that something gates on: an entry of the workspace's catalog, or the frozen configuration of a running
 * session. Each is read once, however many scopes are passed.
 */
export async function scopesNamed(
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
       where entry.workspace_id = :workspaceId
       union all
       select jsonb_path_query(frozen.configuration, '$.servers[*].tool_scopes.*') #>> '{}'
       from sessions
       join session_configurations frozen on frozen.session_id = sessions.id
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null
     ) as gated
     where scope = any(:scopes::text[])`,
    { workspaceId, scopes: [...new Set(scopes)] },
  );
  return new Set(
    z
      .array(z.object({ scope: z.string() }))
      .parse(rows)
      .map(({ scope }) => scope),
  );
}
