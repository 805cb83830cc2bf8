/**
 * Checks of catalog entries, from the request to what is kept. Final states never change; sealed texts are in
 * `mcp_check_texts`.
 */
import * as z from 'zod';
import { type FinalMcpCheckStatus, mcpCheckProcess, mcpCheckStatus } from '../../contract/mcp-check.ts';
import { entryName, timestamp, uuid } from '../../contract/names.ts';
import { type FrozenConfiguration, frozenConfiguration } from '../../contract/session.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import type { Db, Transaction } from '../database.ts';
import { readRow } from '../read-rows.ts';

const checkRow = z.object({
  id: uuid,
  workspace_id: uuid,
  mcp_server_id: uuid,
  server_name: entryName,
  entry_version: z.int(),
  env: z.record(z.string(), z.string()),
  started_by: uuid,
  status: mcpCheckStatus,
  reason: z.string().nullable(),
  cancel_requested_at: timestamp.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  process: mcpCheckProcess.omit({ output_size_bytes: true }).nullable(),
});
export type CheckRow = z.infer<typeof checkRow>;

const columns = Object.keys(checkRow.shape).filter((name) => name !== 'server_name');

/** With the name of the entry. */
const selectChecks = (db: Db) =>
  db('mcp_checks as c')
    .join('mcp_servers as s', 's.id', 'c.mcp_server_id')
    .select(...columns.map((name) => `c.${name}`), 's.name as server_name');

/** The check, or null; throws a ZodError for a row that does not fit the contract. */
export function readCheck(db: Db, id: string): Promise<CheckRow | null> {
  return readRow(selectChecks(db).where('c.id', id).first(), checkRow);
}

/** The check that the user started with this key, or null. */
export async function findCheck(
  db: Db,
  key: { workspaceId: string; startedBy: string; idempotencyKey: string | null },
): Promise<CheckRow | null> {
  if (key.idempotencyKey === null) {
    return null;
  }
  const query = selectChecks(db)
    .where({
      'c.workspace_id': key.workspaceId,
      'c.started_by': key.startedBy,
      'c.idempotency_key': key.idempotencyKey,
    })
    .first();
  return readRow(query, checkRow);
}

/** Each needs a workflow to end it, which reads a cancellation from its row. */
export async function listUnfinishedChecks(db: Db): Promise<{ id: string }[]> {
  const rows = await db('mcp_checks').whereNull('ended_at').orderBy('created_at').select('id');
  return rows;
}

export interface NewCheck {
  workspaceId: string;
  env: Record<string, string>;
  startedBy: string;
  idempotencyKey: string | null;
}

/** Stores a check of this version of the entry, and returns it. */
export async function insertCheck(
  trx: Transaction,
  { workspaceId, env, startedBy, idempotencyKey }: NewCheck,
  { serverId, version }: { serverId: string; version: number },
): Promise<CheckRow> {
  const [inserted] = await trx('mcp_checks')
    .insert({
      workspace_id: workspaceId,
      mcp_server_id: serverId,
      entry_version: version,
      env: JSON.stringify(env),
      started_by: startedBy,
      idempotency_key: idempotencyKey,
    })
    .returning('id');
  const stored = inserted === undefined ? null : await readCheck(trx, inserted.id);
  if (stored === null) {
    throw new Error('the check was not stored');
  }
  return stored;
}

/**
 * Stores what the check runs with, unless already stored. Returns what is stored, or null when the check does
 * not exist.
 */
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

/** A report of a check's server: `revision` orders the reports of one run of the sidecar. */
interface CheckProcessReport {
  sidecar_run: string;
  revision: number;
  process: NonNullable<CheckRow['process']>;
}

/** Stores the state of a check's server. False for a stale report, and for a check that has ended. */
export async function updateCheckProcess(
  trx: Transaction,
  checkId: string,
  { sidecar_run, revision, process }: CheckProcessReport,
): Promise<boolean> {
  const updated = await trx('mcp_checks')
    .where({ id: checkId })
    .whereNull('ended_at')
    .whereRaw('(sidecar_run is distinct from ? or revision < ?)', [sidecar_run, revision])
    .update({ sidecar_run, revision, process: JSON.stringify(process) });
  return updated > 0;
}

/** With their outputs and listings: at most some tens of megabytes per workspace. */
const maxEndedChecks = 100;

/** Removes all but the newest checks of a workspace that have ended. */
export async function removeSurplusChecks(trx: Transaction, workspaceId: string): Promise<void> {
  const ended = () => trx('mcp_checks').where({ workspace_id: workspaceId }).whereNotNull('ended_at');
  const newest = ended().orderBy('ended_at', 'desc').limit(maxEndedChecks).select('id');
  await ended().whereNotIn('id', newest).delete();
}

/**
 * Removes checks that ended longer than `keptSeconds` ago, with their servers' output and listings. Returns
 * how many.
 */
export async function removeOldChecks(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('mcp_checks').whereRaw('ended_at < now() - make_interval(secs => ?)', [keptSeconds]).delete();
}

/** Erases texts sealed with any other key. Returns how many. */
export async function eraseCheckTextsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('mcp_check_texts').whereNot('key_id', keyId).delete();
}
