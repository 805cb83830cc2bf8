/** How the entries of a workspace did: in their last check, and in the sessions of the last days. */
import * as z from 'zod';
import { mcpCheckStatus } from '../../contract/mcp-check.ts';
import type { McpServerHealth } from '../../contract/mcp-server-health.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import { failureCause } from '../../contract/session-process.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readableCondition } from '../sessions/conditions.ts';

const row = z.object({
  id: uuid,
  check_id: uuid.nullable(),
  status: mcpCheckStatus.nullable(),
  entry_version: z.int().nullable(),
  reason: z.string().nullable(),
  checked_at: timestamp.nullable(),
  handshake_ms: z.int().nullable(),
  sessions: z.int(),
  failed: z.int(),
  failed_session_id: uuid.nullable(),
  cause: failureCause.nullable(),
});

/** So many of the newest sessions are looked at. */
const mostSessions = 5000;

/** A session knows a server by its name: those of an earlier entry with it are older than the entry. */
const readHealth = `
  with newest as materialized (
    select id, created_at from sessions
    where workspace_id = :workspaceId and created_at > now() - interval '7 days' and (:isAdmin or ${readableCondition})
    order by created_at desc limit ${mostSessions}
  ), ran as (
    select m.id, count(*)::int as sessions, count(p.cause)::int as failed,
      (array_agg(n.id order by n.created_at desc) filter (where p.cause is not null))[1] as failed_session_id,
      (array_agg(p.cause order by n.created_at desc) filter (where p.cause is not null))[1] as cause
    from newest n
    join session_processes p on p.session_id = n.id and p.kind = 'server'
    join mcp_servers m on m.workspace_id = :workspaceId and m.name = p.name and m.created_at <= n.created_at
    group by m.id
  )
  select m.id, c.id as check_id, c.status, c.entry_version, c.reason, c.created_at as checked_at,
    (c.process ->> 'handshake_ms')::int as handshake_ms, coalesce(r.sessions, 0) as sessions,
    coalesce(r.failed, 0) as failed, r.failed_session_id, r.cause
  from mcp_servers m
  left join ran r on r.id = m.id
  left join lateral (
    select * from mcp_checks where mcp_server_id = m.id and :isAdmin order by created_at desc, id limit 1
  ) as c on true
  where m.workspace_id = :workspaceId
  order by m.name`;

/** `readableBy` is undefined for admins, to whom alone checks are shown. */
export async function listServerHealth(
  db: Db,
  { workspaceId, readableBy }: { workspaceId: string; readableBy: string | undefined },
): Promise<McpServerHealth[]> {
  const values = { workspaceId, isAdmin: readableBy === undefined, userId: readableBy ?? null };
  const rows = await readRows(db.raw(readHealth, values), row);
  return rows.map((found) => ({
    id: found.id,
    last_check: checkOf(found),
    sessions: { count: found.sessions, failed: found.failed, last_failed: failureOf(found) },
  }));
}

function checkOf(found: z.infer<typeof row>): McpServerHealth['last_check'] {
  const { check_id: id, status, entry_version, reason, checked_at: created_at, handshake_ms } = found;
  return id === null || status === null || entry_version === null || created_at === null
    ? null
    : { id, status, entry_version, reason, created_at, handshake_ms };
}

const failureOf = ({ failed_session_id: session_id, cause }: z.infer<typeof row>) =>
  session_id === null || cause === null ? null : { session_id, cause };
