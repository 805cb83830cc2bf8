/**
 * Sessions on a workspace's first page: always those that the list shows this person (`whereReadableBy`), and
 * of them a bounded number.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import type { RunningSession, SessionOfHome } from '../../contract/home.ts';
import { homeBounds } from '../../contract/home-bounds.ts';
import { timestamp, uuid } from '../../contract/names.ts';
import { sessionStatus, sessionWait } from '../../contract/session.ts';
import { sessionTitle } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { unfinishedStatus, waitingFor, whereReadableBy } from '../sessions/conditions.ts';
import { titleStart } from '../sessions/title.ts';

/** Whose home of which workspace; `readableBy` is undefined for who may read all its sessions. */
export interface HomeOf {
  workspaceId: string;
  userId: string;
  readableBy: string | undefined;
}

/** One row more than is counted is never needed: a count that is reached may be larger. */
export const mostRows = homeBounds.counted;

const titledRow = z.object({
  session_id: uuid,
  title_start: z.string(),
  agent_id: uuid,
  agent_name: z.string(),
});

/** What `readableSessions` selects of a session. */
export const titledShape = titledRow.shape;

export const titled = ({
  session_id: id,
  title_start: start,
  agent_id: agentId,
  agent_name: name,
}: z.infer<typeof titledRow>): SessionOfHome => ({
  id,
  title: sessionTitle(id, start),
  agent: { id: agentId, name },
});

/**
 * `sessions as s` of the workspace that this person may read, all or those that have not ended, with what
 * `titled` needs.
 */
export function readableSessions(
  db: Db,
  { workspaceId, readableBy }: HomeOf,
  { unfinished }: { unfinished: boolean },
): Knex.QueryBuilder {
  const sessions = db('sessions').where('workspace_id', workspaceId);
  if (unfinished) {
    sessions.whereRaw(unfinishedStatus);
  }
  if (readableBy !== undefined) {
    sessions.where((either) => whereReadableBy(either, readableBy));
  }
  return db
    .from(sessions.as('s'))
    .join('agents as a', 'a.id', 's.agent_id')
    .select(titleStart(db), { session_id: 's.id', agent_id: 'a.id', agent_name: 'a.name' });
}

/** By id; omits those that this person may not read. */
export async function readTitles(
  db: Db,
  home: HomeOf,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SessionOfHome>> {
  const rows =
    ids.length === 0
      ? []
      : await readRows(readableSessions(db, home, { unfinished: false }).whereIn('s.id', ids), titledRow);
  return new Map(rows.map((row) => [row.session_id, titled(row)]));
}

const runningRow = titledRow.extend({
  status: sessionStatus,
  waiting_for: sessionWait.nullable(),
  created_at: timestamp,
});

/** Those that have not ended, newest first. */
export async function listRunning(db: Db, home: HomeOf): Promise<RunningSession[]> {
  const query = readableSessions(db, home, { unfinished: true })
    .orderBy([
      { column: 's.created_at', order: 'desc' },
      { column: 's.id', order: 'desc' },
    ])
    .limit(mostRows)
    .select('s.status', 's.created_at', waitingFor(db));
  const rows = await readRows(query, runningRow);
  return rows.map(({ status, waiting_for, created_at, ...row }) => ({
    ...titled(row),
    ...{ status, waiting_for, created_at },
  }));
}

const failedRow = titledRow.extend({
  status_reason: z.string().nullable(),
  ended_at: timestamp,
  operator_id: uuid.nullable(),
});

/** `isOwn`: this person started it. */
type FailedRow = SessionOfHome & { reason: string | null; ended_at: string; isOwn: boolean };

/** Those that failed within the last 24 hours, the last one first. */
export async function listFailed(db: Db, home: HomeOf): Promise<FailedRow[]> {
  const query = readableSessions(db, home, { unfinished: false })
    // As its index has it.
    .whereRaw(`s.status = 'failed' and s.ended_at > now() - interval '24 hours'`)
    .orderBy([
      { column: 's.ended_at', order: 'desc' },
      { column: 's.id', order: 'desc' },
    ])
    .limit(mostRows)
    .select('s.status_reason', 's.ended_at', 's.operator_id');
  const rows = await readRows(query, failedRow);
  return rows.map(({ status_reason: reason, ended_at, operator_id: operatorId, ...row }) => ({
    ...titled(row),
    ...{ reason, ended_at, isOwn: operatorId === home.userId },
  }));
}
