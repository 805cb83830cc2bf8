/**
 * What a scope is in a workspace: whether it gates a tool, needs an admin, or belongs to a server that people
 * sign in to.
 */
import * as z from 'zod';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { signsInToEntry } from './fitting-grant.ts';

/**
 * Returns those of the scopes that need an admin's grant, in the catalog or in any running session (the view
 * `admin_only_scopes`). The check of a call (`check-and-consume.ts`) reads the same view for its own session.
 */
export async function scopesThatNeedAdmin(
  db: Db,
  workspaceId: string,
  scopes: readonly string[],
): Promise<Set<string>> {
  if (scopes.length === 0) {
    return new Set();
  }
  const found = await db('admin_only_scopes')
    .where({ workspace_id: workspaceId })
    .whereRaw('scope = any(?)', [[...new Set(scopes)]])
    .distinct('scope');
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

/**
 * Returns those of the scopes that gate a tool: of an entry of the workspace's catalog, or of a running
 * session.
 */
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
