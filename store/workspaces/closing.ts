/**
 * Closing a workspace, and what has to end with it (docs/operations.md#closing-a-workspace). Nothing new
 * begins in one: triggers see to that.
 */
import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Workspace } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { type ConnectionRow, connectionColumns, connectionRow } from '../oauth-connections/read.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';
import { unfinishedStatus } from '../sessions/conditions.ts';
import { presentWorkspace, workspaceRow } from './workspaces.ts';

const openness = z.object({ is_open: z.boolean() });
const idRow = z.object({ id: uuid });
const idsOf = async (query: PromiseLike<unknown>): Promise<string[]> =>
  (await readRows(query, idRow)).map(({ id }) => id);

/**
 * Whether the workspace is open; it stays as it is until the transaction ends. False
 * also for one that is gone.
 */
export async function keepWorkspaceOpen(trx: Transaction, id: string): Promise<boolean> {
  const rows = await readRows(trx.raw('select is_open_workspace(?) as is_open', [id]), openness);
  return onlyRow(rows).is_open;
}

/** Whether the workspace is open now. */
export async function isWorkspaceOpen(db: Db, id: string): Promise<boolean> {
  return (await db('workspaces').where({ id, closed_at: null }).first('id')) !== undefined;
}

/** Not once its removal has begun. */
const mayReopen = `coalesce(reopenable_until > clock_timestamp(), false)
  and not exists (select from removed_workspaces r where r.id = workspaces.id) as may_reopen`;
const lockedRow = workspaceRow.extend({ closing_ended_at: timestamp.nullable(), may_reopen: z.boolean() });

interface ClosedState {
  workspace: Workspace;
  /** All in it was asked to end. */
  hasEnded: boolean;
  /** The time for that is not over. */
  mayReopen: boolean;
}

/** The workspace, once every transaction has ended that began something in it. Null for one that is gone. */
export async function lockToClose(trx: Transaction, id: string): Promise<ClosedState | null> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('workspace ' || ?::uuid, 0))`, [id]);
  const row = await readRow(
    trx('workspaces').where({ id }).forNoKeyUpdate().first('*', trx.raw(mayReopen)),
    lockedRow,
  );
  return (
    row && {
      workspace: presentWorkspace(row),
      hasEnded: row.closing_ended_at !== null,
      mayReopen: row.may_reopen,
    }
  );
}

export async function setClosed(
  trx: Transaction,
  id: string,
  closing: { by: string; reopenableDays: number } | null,
): Promise<Workspace> {
  const rows = await trx('workspaces')
    .where({ id })
    .update({
      closed_at: closing && trx.raw('clock_timestamp()'),
      closed_by: closing?.by ?? null,
      reopenable_until:
        closing && trx.raw('clock_timestamp() + make_interval(days => ?)', [closing.reopenableDays]),
      closing_ended_at: null,
    })
    .returning('*');
  return presentWorkspace(onlyRow(rows));
}

/** Closed workspaces in which something may still have to end. */
export const listClosing = (db: Db): Promise<string[]> =>
  idsOf(
    db('workspaces')
      .whereNotNull('closed_at')
      .whereNull('closing_ended_at')
      .orderBy('closed_at')
      .select('id'),
  );

const closer = z.object({ closed_by: uuid });

/**
 * Who closed the workspace, which stays closed until the transaction ends; null when there is
 * nothing to end in it any more.
 */
export async function keepClosing(trx: Transaction, id: string): Promise<string | null> {
  await keepWorkspaceOpen(trx, id);
  const query = trx('workspaces')
    .where({ id })
    .whereNotNull('closed_at')
    .whereNull('closing_ended_at')
    .first('closed_by');
  return (await readRow(query, closer))?.closed_by ?? null;
}

/** All that has to end in it was asked to, and told. */
export async function endClosing(db: Db, id: string): Promise<void> {
  await db('workspaces')
    .where({ id })
    .whereNotNull('closed_at')
    .whereNull('closing_ended_at')
    .whereRaw('not exists (select from active_grants where workspace_id = workspaces.id)')
    .update({ closing_ended_at: db.fn.now() });
}

/** Sessions that have not ended and that nobody asked to. */
export const listSessionsToEnd = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(
    db('sessions')
      .where({ workspace_id: workspaceId, requested_ending: null })
      .whereRaw(unfinishedStatus)
      .orderBy('created_at')
      .select('id'),
  );

/** Sessions that were asked to end, and have not yet. */
export const listSessionsThatEnd = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(
    db('sessions')
      .where({ workspace_id: workspaceId })
      .whereNotNull('requested_ending')
      .whereRaw(unfinishedStatus)
      .select('id'),
  );

/** People's sign-ins that can be used. */
export const listConnectionsToEnd = (db: Db, workspaceId: string, limit: number): Promise<ConnectionRow[]> =>
  readRows(
    db('oauth_connections')
      .where({ workspace_id: workspaceId })
      .whereNull('ended_at')
      .orderBy('id')
      .limit(limit)
      .select(connectionColumns),
    connectionRow,
  );

/** Registrations that are under way, or have a client at an authorization server that is in use. */
export const listRegistrationsToEnd = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(
    db('mcp_registrations as r')
      .where('r.workspace_id', workspaceId)
      .whereNotNull('r.mcp_server_id')
      .whereRaw(
        `(r.status = 'pending' or exists (
           select from oauth_clients c where c.registration_id = r.id and c.retired_at is null))`,
      )
      .orderBy('r.id')
      .select('r.id'),
  );

/** Registrations with clients that are to be deleted at their servers. */
export const listRegistrationsWithRetired = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(
    db('mcp_registrations as r')
      .where('r.workspace_id', workspaceId)
      .whereRaw(
        'exists (select from oauth_clients c where c.registration_id = r.id and c.retired_at is not null)',
      )
      .select('r.id'),
  );

/** Schedules that this closing paused, or an earlier one. */
export const listSchedulesPaused = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(db('schedules').where({ workspace_id: workspaceId, pause_reason: 'workspace_closed' }).select('id'));

export const listChecksToEnd = (db: Db, workspaceId: string): Promise<string[]> =>
  idsOf(db('mcp_checks').where({ workspace_id: workspaceId }).whereNull('ended_at').select('id'));

/**
 * Whether a session of a closed workspace has not ended yet, or a sign-in is still to
 * be revoked at its server.
 */
export async function hasUnfinished(db: Db, workspaceId: string): Promise<boolean> {
  const session = await db('sessions')
    .where({ workspace_id: workspaceId })
    .whereRaw(unfinishedStatus)
    .first('id');
  const connection = await db('oauth_connections')
    .where({ workspace_id: workspaceId, revoked_at: null })
    .first('id');
  return session !== undefined || connection !== undefined;
}
