import { type Db, prepared } from '../database.ts';

/** How the frozen configuration gates one tool. */
export interface ToolGate {
  /** Null: ungated. */
  scope: string | null;
  /** The catalog entry that was frozen as the server. */
  entryId: string;
  /** A server that the session froze restricts the scope to admins (design 4, `approvers`). */
  keptToAdmins: boolean;
}

const readToolScope = `
  select server -> 'tool_scopes' ->> $3 as scope, server ->> 'entry_id' as "entryId", exists (
    select from jsonb_array_elements(configuration -> 'servers') as naming
    where naming ->> 'approvers' = 'admin'
      and jsonb_path_query_array(naming, '$.tool_scopes.*') @> (server -> 'tool_scopes' -> $3)
  ) as "keptToAdmins"
  from session_configurations, jsonb_array_elements(configuration -> 'servers') as server
  where session_id = $1 and server ->> 'name' = $2`;

/** The gate of `tool` on `server` as the session was frozen, or null when the session has no such server. */
export async function readToolGate(
  db: Db,
  { sessionId, server, tool }: { sessionId: string; server: string; tool: string },
): Promise<ToolGate | null> {
  const [row] = await prepared<ToolGate>(db, 'read_tool_scope', readToolScope, [sessionId, server, tool]);
  return row ?? null;
}
