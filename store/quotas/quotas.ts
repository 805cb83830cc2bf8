/**
 * What a user or a workspace has, as quotas count it, and the locks for that. A count stops at `limit`, so
 * that it reads no more rows than decide.
 */
import * as z from 'zod';
import type { Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/conditions.ts';

/** A quota of a user or a workspace is exhausted; the message names the limit. */
export class QuotaExceededError extends Error {
  override name = 'QuotaExceededError';
  /** When to retry; null when something has to end first. */
  readonly retryAfterSeconds: number | null;

  constructor(limit: number, what: string, retryAfterSeconds: number | null = null) {
    super(`The limit is ${limit} ${what}`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whose quota it is. */
export type QuotaHolder = { userId: string } | { workspaceId: string };

/**
 * Serialises transactions that count and create for a user or a workspace: of two at the limit one is
 * refused.
 */
export async function lockQuota(trx: Transaction, of: QuotaHolder): Promise<void> {
  const name = 'userId' in of ? `quota of user ${of.userId}` : `quota of workspace ${of.workspaceId}`;
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}

/** Locks the quotas of a user and of a workspace; the user comes first wherever both are locked. */
export async function lockBothQuotas(
  trx: Transaction,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<void> {
  await lockQuota(trx, { userId });
  await lockQuota(trx, { workspaceId });
}

/**
 * Sessions that have not ended; a user's include those below their own, and those that their schedules
 * started.
 */
export async function countUnfinishedSessions(
  trx: Transaction,
  of: QuotaHolder,
  limit: number,
): Promise<number> {
  const rows = await trx('sessions')
    .where((held) =>
      'userId' in of
        ? held.where('root_operator_id', of.userId).orWhere('schedule_maker_id', of.userId)
        : held.where('workspace_id', of.workspaceId),
    )
    .whereRaw(unfinishedStatus)
    .limit(limit)
    .select('id');
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

/** Agents, catalog entries, channels or schedules of a workspace. */
export async function countInWorkspace(
  trx: Transaction,
  table: 'agents' | 'channels' | 'mcp_servers' | 'schedules',
  workspaceId: string,
  limit: number,
): Promise<number> {
  const rows = await trx(table).where({ workspace_id: workspaceId }).limit(limit).select('id');
  return rows.length;
}

/** As in the index `audit_events_scheduled_by_maker`. */
const ofSchedules = "event = 'session.created' and data ->> 'schedule_maker_id' = ?";

export interface HourlyCreations {
  event: 'session.created' | 'workspace.created';
  /** Whose creations count. */
  of: QuotaHolder;
  limit: number;
}

/**
 * The time in seconds until fewer than `limit` were created within the last hour; not positive when that is
 * so already. Reads the audit trail, which also covers removed items, for the creation that is `limit` back.
 * A user's include sessions that sessions below their own started, whose actor is an agent, and what their
 * schedules started.
 */
export async function readHourlyWait(
  trx: Transaction,
  { event, of, limit }: HourlyCreations,
): Promise<number> {
  const newest = () =>
    trx('audit_events').where({ event }).orderBy('position', 'desc').limit(limit).select('at');
  const created =
    'userId' in of
      ? trx.unionAll(
          [
            newest().where('actor_id', of.userId),
            newest().where('actor_type', 'agent').whereRaw(`data->>'root_operator_id' = ?`, [of.userId]),
            newest().whereRaw(ofSchedules, [of.userId]),
          ],
          true,
        )
      : newest().where('workspace_id', of.workspaceId);
  const query = trx
    .from(created.as('created'))
    .orderBy('at', 'desc')
    .offset(limit - 1)
    .first(trx.raw("ceil(extract(epoch from at + interval '1 hour' - now()))::integer as seconds"));
  const found = await readRow(query, z.object({ seconds: z.int() }));
  return found?.seconds ?? 0;
}
