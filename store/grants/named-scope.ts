import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { signsInToEntry } from './fitting-grant.ts';

/** Returns those of the scopes that gate a tool: of an entry of the workspace's catalog, or of a running session. */
export async function scopesNamed(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
): Promise<Set<string>> {
  if (scopes.length === 0) {
    return new Set();
  }
  const statement = db.raw(
    `select scope from mcp_server_tools
     where workspace_id = :workspaceId and scope = any(:scopes::text[])
     union
     select gate.scope from sessions
     join session_tools gate on gate.session_id = sessions.id
     where sessions.workspace_id = :workspaceId and sessions.ended_at is null and gate.scope = any(:scopes::text[])`,
    { workspaceId, scopes: [...new Set(scopes)] },
  );
  const rows = await readRows(statement, z.object({ scope: z.string() }));
  return new Set(rows.map(({ scope }) => scope));
}

/** Returns those of the scopes that gate a tool of an entry which people sign in to. */
export async function scopesOfSignIns(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
): Promise<Set<string>> {
  if (scopes.length === 0) {
    return new Set();
  }
  const statement = db.raw(
    `select distinct gate.scope from mcp_server_tools gate
     join mcp_servers entry on entry.id = gate.mcp_server_id
     where gate.workspace_id = :workspaceId and gate.scope = any(:scopes::text[]) and ${signsInToEntry('entry')}`,
    { workspaceId, scopes: [...new Set(scopes)] },
  );
  const rows = await readRows(statement, z.object({ scope: z.string() }));
  return new Set(rows.map(({ scope }) => scope));
}
