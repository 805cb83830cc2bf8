/** Which grants have to be approved with a passkey, now: a workspace's setting, or its catalog's entries. */
import * as z from 'zod';
import type { Db, Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Whether a grant with these details needs one. */
export type NeedsPasskey = (details: Readonly<Record<string, unknown>>) => boolean;

const needs = z.object({ all: z.boolean(), secrets: z.boolean(), scopes: z.array(z.string()) });

/** Gates of running sessions on entries that asked as they were removed. */
const removedGates = `removed_asking_entries removed
  join session_tools gate on gate.entry_id = removed.entry_id
  join sessions on sessions.id = gate.session_id
  where removed.workspace_id = :workspaceId
    and sessions.workspace_id = :workspaceId and sessions.ended_at is null`;

/**
 * Reads it for grants with these details. A scope needs a passkey where an entry that asks for one gates a
 * tool on it: in the catalog, or as a running session froze the entry. Whether the entry asks is not frozen:
 * it is what the entry says at the moment, or said as it was removed. A secret in an agent's hands does what
 * the gate of an entry that uses it would stop, so each needs one where any entry of the workspace asks, or
 * one that was removed does in a running session. A workspace that is gone asks for it.
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
       exists (select from mcp_servers where workspace_id = :workspaceId and require_passkey) or
         exists (select from ${removedGates}) as secrets,
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
         select gate.scope from ${removedGates} and gate.scope = any(:scopes::text[])
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

/**
 * Running sessions that froze the entry ask on when it goes. One that has frozen nothing yet may be about to
 * freeze it. Entries that are kept for no such session any more are forgotten.
 */
export async function keepAskingEntry(
  trx: Transaction,
  { workspaceId, entryId }: { workspaceId: string; entryId: string },
): Promise<void> {
  await trx('removed_asking_entries').insert({ entry_id: entryId, workspace_id: workspaceId });
  await trx.raw(
    `delete from removed_asking_entries removed
     where workspace_id = :workspaceId and not exists (
       select from sessions
       left join session_configurations frozen on frozen.session_id = sessions.id
       where sessions.workspace_id = :workspaceId and sessions.ended_at is null
         and (frozen.session_id is null or exists (
           select from session_tools gate
           where gate.session_id = sessions.id and gate.entry_id = removed.entry_id)))`,
    { workspaceId },
  );
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
