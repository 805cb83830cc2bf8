/** What a user or a workspace has, as quotas count it. A count stops at `limit`, so that it reads no more rows than decide. */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/list-unfinished.ts';
import type { QuotaHolder } from './lock-quota.ts';

/** Sessions that have not ended; a user's include those below their own. */
export async function countUnfinishedSessions(
  trx: Transaction,
  of: QuotaHolder,
  limit: number,
): Promise<number> {
  const holder = 'userId' in of ? { root_operator_id: of.userId } : { workspace_id: of.workspaceId };
  const rows = await trx('sessions').where(holder).whereRaw(unfinishedStatus).limit(limit).select('id');
  return rows.length;
}

/** Checks that have not ended. */
export async function countUnfinishedChecks(
  trx: Transaction,
  of: QuotaHolder,
  limit: number,
): Promise<number> {
  const holder = 'userId' in of ? { started_by: of.userId } : { workspace_id: of.workspaceId };
  const rows = await trx('mcp_checks').where(holder).whereNull('ended_at').limit(limit).select('id');
  return rows.length;
}

/** Agents, catalog entries or channels of a workspace. */
export async function countInWorkspace(
  trx: Transaction,
  table: 'agents' | 'channels' | 'mcp_servers',
  workspaceId: string,
  limit: number,
): Promise<number> {
  const rows = await trx(table).where({ workspace_id: workspaceId }).limit(limit).select('id');
  return rows.length;
}

export interface HourlyCreations {
  event: 'session.created' | 'workspace.created';
  /** Whose creations count. */
  of: QuotaHolder;
  limit: number;
}

/**
 * The time in seconds until fewer than `limit` were created within the last hour; not positive when that is so already.
 * Reads the audit trail, which also covers removed items, for the creation that is `limit` back. A user's include sessions that sessions below their own
 * started, whose actor is an agent.
 */
export async function readHourlyWait(
  trx: Transaction,
  { event, of, limit }: HourlyCreations,
): Promise<number> {
  const latest = (whose: Knex.QueryCallback) =>
    trx('audit_events')
      .where({ event })
      .where(whose)
      .orderBy('position', 'desc')
      .limit(limit)
      .select('position', 'at');
  const counted =
    'userId' in of
      ? [
          latest((own) => void own.where({ actor_id: of.userId })),
          latest(
            (below) =>
              void below
                .where({ actor_type: 'agent' })
                .whereRaw(`data->>'root_operator_id' = ?`, [of.userId]),
          ),
        ]
      : [latest((all) => void all.where({ workspace_id: of.workspaceId }))];
  const query = trx
    .from(trx.unionAll(counted, true).as('created'))
    .orderBy('position', 'desc')
    .offset(limit - 1)
    .first(trx.raw("ceil(extract(epoch from at + interval '1 hour' - now()))::integer as seconds"));
  const newest = await readRow(query, z.object({ seconds: z.int() }));
  return newest?.seconds ?? 0;
}
