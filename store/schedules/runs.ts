/** The outcome of each time of a schedule. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type RunOutcome, type ScheduleRun, scheduleRun, shownRun } from '../../contract/schedule.ts';
import type { Db, Transaction } from '../database.ts';
import { pageByTime } from '../page.ts';
import { readRow } from '../read-rows.ts';
import { readableCondition, unfinishedStatus } from '../sessions/conditions.ts';

const runColumns = Object.keys(scheduleRun.shape) as (keyof ScheduleRun)[];

export function readRun(db: Db, id: string): Promise<ScheduleRun | null> {
  return readRow(db('schedule_runs').where({ id }).first(runColumns), scheduleRun);
}

export interface NewRun {
  id: string;
  workspaceId: string;
  scheduleId: string;
  scheduledAt: string;
  outcome: RunOutcome;
  detail: string | null;
  sessionId: string | null;
  /** Who had it run beside its times. */
  requestedBy: string | null;
}

export async function insertRun(trx: Transaction, run: NewRun): Promise<void> {
  await trx('schedule_runs').insert({
    id: run.id,
    workspace_id: run.workspaceId,
    schedule_id: run.scheduleId,
    scheduled_at: run.scheduledAt,
    outcome: run.outcome,
    detail: run.detail,
    session_id: run.sessionId,
    requested_by: run.requestedBy,
  });
}

/**
 * The runs of a schedule with the states of their sessions, newest first; the reasons of those that
 * `readerId` may read, null for an admin, who reads all. Throws InvalidCursorError.
 */
export function listRuns(
  db: Db,
  { scheduleId, readerId }: { scheduleId: string; readerId: string | null },
  page: PageQuery,
): Promise<Page<z.infer<typeof shownRun>>> {
  const reason = db.raw(`case when :isAdmin or ${readableCondition} then s.status_reason end`, {
    isAdmin: readerId === null,
    userId: readerId,
  });
  const runs = db('schedule_runs as r')
    .leftJoin('sessions as s', 's.id', 'r.session_id')
    .leftJoin('users as u', 'u.id', 'r.requested_by')
    .where('r.schedule_id', scheduleId)
    .select(
      db.raw(
        `case when u.id is not null then jsonb_build_object('id', u.id, 'name', u.name) end as requested_by`,
      ),
    )
    .select(...runColumns.map((column) => `r.${column}` as const), 's.status as session_status')
    .select(db.raw('? as session_status_reason', [reason]));
  return pageByTime(db, db.from(runs.as('runs')), shownRun, 'created_at', page);
}

/** Whether a session that the schedule started has not ended. */
export async function hasRunningSession(
  db: Db,
  { id, workspace_id }: { id: string; workspace_id: string },
): Promise<boolean> {
  const found = await db('sessions')
    .where({ workspace_id, schedule_id: id })
    .whereRaw(unfinishedStatus)
    .first('id');
  return found !== undefined;
}

/**
 * Whether a session that the schedule started was still there at this time, or began later. `at`: ISO 8601.
 */
export async function hasSessionSince(
  db: Db,
  { id, workspace_id }: { id: string; workspace_id: string },
  at: string,
): Promise<boolean> {
  const found = await db('sessions')
    .where({ workspace_id, schedule_id: id })
    .where((either) => either.whereNull('ended_at').orWhere('ended_at', '>', at))
    .first('id');
  return found !== undefined;
}

/**
 * Who asked for a run beside the times of the schedule just before this one, which is when it came; null where
 * nobody did. Temporal's times have whole seconds.
 */
export async function readRequester(
  db: Db,
  { id, workspace_id }: { id: string; workspace_id: string },
  scheduledAt: string,
): Promise<string | null> {
  const found = await db('audit_events')
    .where({ workspace_id, event: 'schedule.run_requested', resource_id: id })
    .whereRaw(`at between ?::timestamptz - interval '1 minute' and ?::timestamptz + interval '2 seconds'`, [
      scheduledAt,
      scheduledAt,
    ])
    .orderBy('position', 'desc')
    .first('actor_id');
  return found?.actor_id ?? null;
}

const startedRun = z.object({ schedule_id: uuid, scheduled_at: z.string() });

/** Which run started this session; null for a session of another kind. */
export function readRunOfSession(db: Db, sessionId: string): Promise<z.infer<typeof startedRun> | null> {
  const query = db('schedule_runs').where({ session_id: sessionId });
  return readRow(query.first('schedule_id', 'scheduled_at'), startedRun);
}

/** Removes what is known of runs this long after their time. */
export async function removeOldRuns(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<void> {
  await db('schedule_runs').whereRaw('created_at < now() - make_interval(secs => ?)', [keptSeconds]).delete();
}
