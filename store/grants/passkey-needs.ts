/** Which grants have to be approved with a passkey, now: a workspace's setting, or its catalog's entries. */
import * as z from 'zod';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Whether a grant with these details needs one. */
export type NeedsPasskey = (details: Readonly<Record<string, unknown>>) => boolean;

const needs = z.object({ all: z.boolean(), secrets: z.boolean(), scopes: z.array(z.string()) });

/**
 * Reads it for grants with these details. A scope needs a passkey where an entry that asks for one gates a
 * tool on it: in the catalog, or as a running session froze the entry. Whether the entry asks is not frozen:
 * it is what the entry says at the moment, or said as it was removed. A secret in an agent's hands does what the gate of an entry that
 * uses it would stop, so each needs one where any entry of the workspace asks. A workspace that is gone asks
 * for it.
 */
export async function readPasskeyNeeds(
  db: Db,
  workspaceId: string,
  grants: readonly Readonly<Record<string, unknown>>[],
): Promise<NeedsPasskey> {
  const scopes = [...new Set(grants.flatMap(scopeOf))];
  const statement = db.raw(
    `select
       coalesce((select require_passkey from workspaces where id = :workspaceId), true) as "all",
       exists (select from mcp_servers where workspace_id = :workspaceId and require_passkey) as secrets,
       array(
         select gate.scope from mcp_server_tools gate
         join mcp_servers entry on entry.id = gate.mcp_server_id
         where gate.workspace_id = :workspaceId and entry.require_passkey and gate.scope = any(:scopes::text[])
         union
         select gate.scope from mcp_servers entry
         join session_tools gate on gate.entry_id = entry.id
         join sessions on sessions.id = gate.session_id
         where entry.workspace_id = :workspaceId and entry.require_passkey
           and sessions.workspace_id = :workspaceId and sessions.ended_at is null
           and gate.scope = any(:scopes::text[])
         union
         select gate.scope from removed_asking_entries removed
         join session_tools gate on gate.entry_id = removed.entry_id
         join sessions on sessions.id = gate.session_id
         where removed.workspace_id = :workspaceId
           and sessions.workspace_id = :workspaceId and sessions.ended_at is null
           and gate.scope = any(:scopes::text[])
       ) as scopes`,
    { workspaceId, scopes },
  );
  const [read] = await readRows(statement, needs);
  const asking = new Set(read?.scopes);
  return (details) =>
    read?.all !== false ||
    ('secret_name' in details && read.secrets) ||
    scopeOf(details).some((scope) => asking.has(scope));
}

/** Sessions that froze the entry ask on when it goes. */
export async function keepAskingEntry(
  trx: Transaction,
  entry: { workspaceId: string; entryId: string },
): Promise<void> {
  await trx('removed_asking_entries').insert({ entry_id: entry.entryId, workspace_id: entry.workspaceId });
}

/** Whether the one grant needs it. */
export async function needsPasskey(
  db: Db,
  workspaceId: string,
  details: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return (await readPasskeyNeeds(db, workspaceId, [details]))(details);
}

const scopeOf = ({ scope }: Readonly<Record<string, unknown>>) => (typeof scope === 'string' ? [scope] : []);
