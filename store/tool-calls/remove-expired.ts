/** Removes records of tool calls beyond their workspace's retention. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Workspaces that keep records for a limited time. */
export async function listWorkspacesWithRetention(db: Db): Promise<{ id: string; days: number }[]> {
  const query = db('workspaces')
    .whereNotNull('tool_call_retention_days')
    .select('id', 'tool_call_retention_days as days');
  return readRows(query, z.object({ id: uuid, days: z.int() }));
}

/**
 * The oldest records first, by the index of the audit page; positions are in the order in which records
 * were stored. Skips rows that another worker is removing. Keeps the ids, so that a later report of the
 * same call is not recorded again.
 */
const removeOldest = `
  with oldest as (
    select id, recorded_at from audit_events
    where workspace_id = ? and event = ? order by position limit ? for update skip locked
  ), expired as (
    select id from oldest where recorded_at < now() - make_interval(days => ?)
  ), remembered as (
    insert into removed_call_ids (call_id, workspace_id) select id, ? from expired on conflict do nothing
  )
  delete from audit_events using expired where audit_events.id = expired.id returning audit_events.id`;

const events = ['session.mcp.tool_called', 'session.mcp.calls_refused'] as const;

/** Removes up to `limit` records of each kind, in one short statement each. Returns how many. */
export async function removeExpiredCalls(
  db: Db,
  { workspaceId, days, limit }: { workspaceId: string; days: number; limit: number },
): Promise<number> {
  let removed = 0;
  for (const event of events) {
    const statement = db.raw(removeOldest, [workspaceId, event, limit, days, workspaceId]);
    removed += (await readRows(statement, z.object({ id: uuid }))).length;
  }
  return removed;
}
