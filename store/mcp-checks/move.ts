/** State transitions of a check, from `pending` to its end. Final states never change. */
import * as z from 'zod';
import type { FinalMcpCheckStatus } from '../../contract/mcp-check.ts';
import { timestamp } from '../../contract/names.ts';
import { type FrozenConfiguration, frozenConfiguration } from '../../contract/session.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';

/** Stores what the check runs with, unless already stored. Returns what is stored, or null when the check does not exist. */
export async function freezeCheck(
  db: Db,
  configuration: FrozenConfiguration,
): Promise<FrozenConfiguration | null> {
  const { session_id: id } = configuration;
  await db('mcp_checks')
    .where({ id })
    .whereNull('configuration')
    .update({ configuration: JSON.stringify(configuration) });
  return readCheckConfiguration(db, id);
}

/** Null before the freeze. Throws a ZodError for one that does not fit the contract. */
export async function readCheckConfiguration(db: Db, id: string): Promise<FrozenConfiguration | null> {
  const row = await db('mcp_checks').where({ id }).first('configuration');
  return row?.configuration == null ? null : frozenConfiguration.parse(row.configuration);
}

/** False when the check has ended or does not exist. */
export async function moveCheck(db: Db, id: string, to: 'starting' | 'running'): Promise<boolean> {
  const started = to === 'running' ? { started_at: db.raw('coalesce(started_at, now())') } : {};
  const moved = await db('mcp_checks')
    .where({ id })
    .whereNull('ended_at')
    .update({ status: to, ...started });
  return moved > 0;
}

/** Keeps the check from ending until the transaction ends. False when it has ended or does not exist. */
export async function lockUnfinishedCheck(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx('mcp_checks').where({ id }).whereNull('ended_at').forUpdate().first('id');
  return row !== undefined;
}

export interface CheckEnding {
  status: FinalMcpCheckStatus;
  reason: string | null;
}

/** Records the end. Does nothing to a check that has ended or does not exist. */
export async function updateCheckEnding(db: Db, id: string, { status, reason }: CheckEnding): Promise<void> {
  await db('mcp_checks')
    .where({ id })
    .whereNull('ended_at')
    .update({ status, reason, ended_at: db.fn.now() });
}

/** Records the request to cancel the check. */
export async function requestCheckCancel(db: Db, id: string): Promise<void> {
  await db('mcp_checks')
    .where({ id })
    .whereNull('ended_at')
    .update({ cancel_requested_at: db.raw('coalesce(cancel_requested_at, now())') });
}

export interface CheckDemand {
  cancelRequested: boolean;
  /** The user who started it is still an admin of the workspace. */
  startedByAdmin: boolean;
}

const demandRow = z.object({ cancel_requested_at: timestamp.nullable(), role: workspaceRole.nullable() });

/** Whether the check is still wanted; null when it has ended or does not exist. */
export async function readCheckDemand(db: Db, id: string): Promise<CheckDemand | null> {
  const query = db('mcp_checks as c')
    .leftJoin('members as m', (join) =>
      join.on('m.workspace_id', 'c.workspace_id').andOn('m.user_id', 'c.started_by'),
    )
    .where('c.id', id)
    .whereNull('c.ended_at')
    .first('c.cancel_requested_at', 'm.role');
  const row = await readRow(query, demandRow);
  return row === null
    ? null
    : { cancelRequested: row.cancel_requested_at !== null, startedByAdmin: row.role === 'admin' };
}
