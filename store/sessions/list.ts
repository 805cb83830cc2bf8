/**
 * Sessions in lists: for people, newest first; unfinished ones of all workspaces, each of which needs a
 * workflow; those that open pages watch.
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import {
  type Session,
  type SessionStatus,
  type SessionWait,
  session,
  sessionStatus,
  terminalStatus,
} from '../../contract/session.ts';
import { sessionSignals } from '../../contract/workflows.ts';
import { type Db, prepared } from '../database.ts';
import { isOld } from '../live-texts/live-texts.ts';
import { pageByTime } from '../page.ts';
import { readRows } from '../read-rows.ts';
import { readWithin } from '../read-within.ts';
import { keptCondition, unfinishedStatus, waitsFor, whereReadableBy } from './conditions.ts';
import { searchBounds, sessionsByWords } from './search.ts';
import { listTree, type TreeOptions } from './tree.ts';

interface SessionFilter {
  status?: SessionStatus | undefined;
  agentId?: string | undefined;
  /** Words of which each begins one of the session's (`sessionsByWords`). */
  search?: string | undefined;
  waitingFor?: SessionWait | undefined;
  /** Leaves out those that other sessions started. */
  rootsOnly?: boolean;
  /**
   * Only what this user may read without being an admin: own sessions, and those shared with the workspace.
   */
  readableBy?: string | undefined;
}

/** Throws InvalidCursorError, and for a search that takes too long `sqlState.queryCanceled`. */
export function listSessions(
  db: Db,
  workspaceId: string,
  filter: SessionFilter,
  page: PageQuery,
): Promise<Page<Session>> {
  return filter.search === undefined
    ? listFiltered(db, workspaceId, filter, page)
    : readWithin(db, searchBounds.limitMs, (trx) => listFiltered(trx, workspaceId, filter, page));
}

function listFiltered(
  db: Db,
  workspaceId: string,
  filter: SessionFilter,
  page: PageQuery,
): Promise<Page<Session>> {
  const { search, readableBy } = filter;
  const query = db('sessions as s').where({ workspace_id: workspaceId });
  if (filter.status !== undefined) {
    query.where('status', filter.status);
  }
  if (filter.agentId !== undefined) {
    query.where('agent_id', filter.agentId);
  }
  if (search !== undefined) {
    query.whereRaw('id in ?', [sessionsByWords(db, { workspaceId, text: search, readableBy })]);
  }
  if (filter.waitingFor !== undefined) {
    query.whereRaw(waitsFor(db, filter.waitingFor));
  }
  if (filter.rootsOnly === true) {
    query.whereNull('parent_session_id');
  }
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return pageByTime(db, query, session, 'created_at', page);
}

/** Every session below this one, at any depth, that this user may read. Throws InvalidCursorError. */
export async function listDescendants(db: Db, of: TreeOptions, page: PageQuery): Promise<Page<Session>> {
  const tree = await listTree(db, of);
  const query = db('sessions').whereIn(
    'id',
    tree.filter((id) => id !== of.sessionId),
  );
  const { readableBy } = of;
  if (readableBy !== undefined) {
    query.where((either) => whereReadableBy(either, readableBy));
  }
  return pageByTime(db, query, session, 'created_at', page);
}

export async function listUnfinishedSessionIds(db: Db): Promise<string[]> {
  const rows = await db('sessions').whereRaw(unfinishedStatus).orderBy('created_at').select('id');
  return rows.map(({ id }) => id);
}

interface LaunchedSession {
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

const { inputAvailable, agentEnded, terminate } = sessionSignals;
const row = z.object({ id: z.string(), signal: z.enum([inputAvailable, agentEnded, terminate]) });
type UntoldSession = z.infer<typeof row>;

/**
 * Sessions whose workflow may have missed a signal: a message still undelivered after this long, or
 * a requested ending. Signalling it again is harmless.
 */
export async function listUntoldSessions(
  db: Db,
  { undeliveredSeconds }: { undeliveredSeconds: number },
): Promise<UntoldSession[]> {
  const statement = db.raw(
    `select id, case
         when requested_ending is null then ?::text
         when requested_ending #>> '{by,type}' = 'agent' then ?::text
         else ?::text end as signal
     from sessions s
     where ended_at is null and (
       requested_ending is not null
       or status = 'running' and exists (
         select from session_inputs
         where session_id = s.id and delivered_at is null and at < now() - make_interval(secs => ?)
       )
     )
     order by created_at`,
    [inputAvailable, agentEnded, terminate, undeliveredSeconds],
  );
  return readRows(statement, row);
}

/** What a stream polls of a session: who may read it, and how far it has progressed. */
const watchedSession = z.object({
  id: uuid,
  workspace_id: uuid,
  operator_id: uuid.nullable(),
  root_operator_id: uuid.nullable(),
  schedule_maker_id: uuid.nullable(),
  shared_with_workspace: z.boolean(),
  status: sessionStatus,
  last_event_seq: z.int(),
  /**
   * Changes when the session has a new audit record, such as a tool call, a process's state changed, or other
   * calls wait for their server.
   */
  last_record: z.string(),
  /** Changes with what its agent has written of a message that it still writes; null when it writes none. */
  live_text: z.string().nullable(),
});
export type WatchedSession = z.infer<typeof watchedSession>;

const readWatched = `
  select id, workspace_id, operator_id, root_operator_id, schedule_maker_id, shared_with_workspace, status, last_event_seq,
    concat_ws(' ',
      (select position from audit_events a where a.session_id = s.id order by position desc limit 1),
      (select max(updated_at) from session_processes p where p.session_id = s.id),
      (select concat(sidecar_run, '.', revision) from session_open_calls o where o.session_id = s.id)) as last_record,
    (select concat(message_id, ' ', octet_length(text)) from session_live_texts l
      where l.session_id = s.id and not l.${isOld}) as live_text
  from sessions s where id = any($1::uuid[])`;

/** Those of the sessions that exist, by id. */
export async function readWatchedSessions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WatchedSession>> {
  const rows =
    ids.length === 0
      ? []
      : await readRows(prepared(db, 'read-watched-sessions', readWatched, [ids]), watchedSession);
  return new Map(rows.map((row) => [row.id, row]));
}
