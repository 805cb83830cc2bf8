/** Unfinished work in all workspaces: each needs a workflow to end it. */
import { terminalStatus } from '../../contract/session.ts';
import type { Db } from '../database.ts';
import { keptCondition } from './readable.ts';

/** Written out as in the partial indexes of sessions, which a list of parameters would not match. */
export const unfinishedStatus = `status not in (${terminalStatus.options.map((status) => `'${status}'`).join(', ')})`;

export async function listUnfinishedSessionIds(db: Db): Promise<string[]> {
  const rows = await db('sessions').whereRaw(unfinishedStatus).orderBy('created_at').select('id');
  return rows.map(({ id }) => id);
}

export interface LaunchedSession {
  id: string;
  /** Where its sidecar reaches the API. */
  apiUrl: string;
}

/** Unfinished sessions whose workload was started, or is being started. */
export async function listLaunchedSessions(db: Db): Promise<LaunchedSession[]> {
  const rows = await db('sessions')
    .whereRaw(unfinishedStatus)
    .whereIn('status', ['starting', 'running'])
    .select('id', 'api_url');
  return rows.flatMap(({ id, api_url: apiUrl }) => (apiUrl === null ? [] : [{ id, apiUrl }]));
}

export async function listOpenRequestIds(db: Db): Promise<string[]> {
  const rows = await db('permission_requests').where('status', 'open').orderBy('created_at').select('id');
  return rows.map(({ id }) => id);
}

/** Ids of the sessions that are kept by a user (`keptCondition`) and have not ended. */
export async function listUnfinishedSessionsOfUser(
  db: Db,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<string[]> {
  const rows = await db('sessions')
    .where({ workspace_id: workspaceId })
    .whereRaw(keptCondition, { userId })
    .whereNotIn('status', terminalStatus.options)
    .orderBy('created_at')
    .select('id');
  return rows.map(({ id }) => id);
}
