/**
 * Removing a closed workspace permanently: in batches, each of which is a transaction, with a record of the
 * installation that outlives it.
 */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

/** Rows of one transaction. */
export const removalBatch = 500;

const ofSessions = 'session_id in (select id from sessions where workspace_id = :workspaceId)';
const ofWorkspace = 'workspace_id = :workspaceId';

/**
 * Tables that can be large, and which of their rows are the workspace's: those that others refer to come
 * after these. The audit trail is last but for the workspace, with which everything else goes.
 */
const largeTables = [
  ['session_events', ofSessions],
  ['grant_uses', ofSessions],
  ['artifact_chunks', `content_id in (select id from artifact_contents where ${ofSessions})`],
  ['artifacts', ofSessions],
  ['artifact_contents', ofSessions],
  ['session_inputs', ofSessions],
  ['channel_messages', ofWorkspace],
  ['preview_files', `preview_id in (select id from previews where ${ofWorkspace})`],
  ['vector_items', ofWorkspace],
  ['graph_edges', ofWorkspace],
  ['graph_nodes', ofWorkspace],
  ['permission_requests', ofWorkspace],
  ['grants', ofWorkspace],
  ['sessions', ofWorkspace],
  ['agents', ofWorkspace],
  ['audit_events', ofWorkspace],
  ['removed_call_ids', ofWorkspace],
] as const;

const removable = z.object({ id: uuid, slug: z.string(), name: z.string(), reopenable_until: timestamp });
export type RemovableWorkspace = z.infer<typeof removable>;

const closedColumns = ['id', 'slug', 'name', 'reopenable_until'] as const;

/** Closed workspaces, the first to be removed first. */
export const listClosedWorkspaces = (db: Db): Promise<RemovableWorkspace[]> =>
  readRows(
    db('workspaces').whereNotNull('closed_at').orderBy('reopenable_until').select(closedColumns),
    removable,
  );

/** Closed workspaces that nobody can reopen any more, or whose removal has begun. */
export async function listToRemove(db: Db): Promise<string[]> {
  const query = db('workspaces')
    .whereNotNull('closed_at')
    .whereRaw('(reopenable_until <= now() or id in (select id from removed_workspaces))')
    .orderBy('reopenable_until')
    .select('id');
  return (await readRows(query, z.object({ id: uuid }))).map(({ id }) => id);
}

/** A closed workspace by its slug; null when there is none. */
export const findClosedWorkspace = (db: Db, slug: string): Promise<RemovableWorkspace | null> =>
  readRow(db('workspaces').where({ slug }).whereNotNull('closed_at').first(closedColumns), removable);

/**
 * Writes the record, unless it is there, and takes the workspace's members, so that nobody
 * reads what is half there.
 */
export async function recordRemoval(trx: Transaction, id: string, by: string): Promise<void> {
  await trx.raw(
    `insert into removed_workspaces (id, slug, name, closed_at, closed_by, removed_by, last_exported_at, last_export_sha256)
     select id, slug, name, closed_at, closed_by, :by, last_exported_at, last_export_sha256 from workspaces where id = :id
     on conflict (id) do nothing`,
    { id, by },
  );
  await count(trx, id, 'members', await trx('members').where({ workspace_id: id }).delete());
}

/** Whether the removal of the workspace has begun. */
export async function isBeingRemoved(db: Db, id: string): Promise<boolean> {
  return (await db('removed_workspaces').where({ id }).first('id')) !== undefined;
}

const countRow = z.object({ count: z.int() });

/**
 * Removes up to `limit` rows of the first table that has some. Returns how many; 0 when all large tables
 * are empty of the workspace.
 */
export async function removeRows(trx: Transaction, workspaceId: string, limit: number): Promise<number> {
  for (const [table, condition] of largeTables) {
    const statement = trx.raw(
      `with gone as (
         delete from ${table} where ctid = any (array(select ctid from ${table} where ${condition} limit :limit)) returning 1
       )
       select count(*) from gone`,
      { workspaceId, limit },
    );
    const removed = onlyRow(await readRows(statement, countRow)).count;
    if (removed > 0) {
      await count(trx, workspaceId, table, removed);
      return removed;
    }
  }
  return 0;
}

/** Removes the workspace with what is left of it: what people set up by hand. Completes the record. */
export async function removeWorkspaceRow(trx: Transaction, id: string): Promise<void> {
  await count(trx, id, 'workspaces', await trx('workspaces').where({ id }).delete());
  await trx('removed_workspaces')
    .where({ id })
    .update({ removed_at: trx.raw('clock_timestamp()') });
}

async function count(trx: Transaction, id: string, table: string, rows: number): Promise<void> {
  await trx('removed_workspaces')
    .where({ id })
    .update({
      counts: trx.raw(
        'jsonb_set(counts, array[?::text], to_jsonb(coalesce((counts ->> ?::text)::bigint, 0) + ?::bigint))',
        [table, table, rows],
      ),
    });
}

const removedRow = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  closed_by: uuid.nullable(),
  removed_by: z.string(),
  started_at: timestamp,
  removed_at: timestamp.nullable(),
  counts: z.record(z.string(), z.int()),
  last_exported_at: timestamp.nullable(),
  last_export_sha256: z.string().nullable(),
});
export type RemovedWorkspace = z.infer<typeof removedRow>;

/** The records of the installation, newest first. */
export const listRemovedWorkspaces = (db: Db): Promise<RemovedWorkspace[]> =>
  readRows(
    db('removed_workspaces').orderBy('started_at', 'desc').select(Object.keys(removedRow.shape)),
    removedRow,
  );
