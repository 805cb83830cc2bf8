import type { SessionStatus } from '../../contract/session.ts';
import { type Db, prepared } from '../database.ts';

/** What a stream polls of a session: who may read it, and how far it has progressed. */
export interface WatchedSession {
  id: string;
  workspace_id: string;
  operator_id: string;
  root_operator_id: string;
  shared_with_workspace: boolean;
  status: SessionStatus;
  last_event_seq: number;
  /** Changes when the session has a new audit record, such as a tool call, or a process's state changed. */
  last_record: string;
}

const readWatched = `
  select id, workspace_id, operator_id, root_operator_id, shared_with_workspace, status, last_event_seq,
    concat_ws(' ',
      (select position from audit_events a where a.session_id = s.id order by position desc limit 1),
      (select max(updated_at) from session_processes p where p.session_id = s.id)) as last_record
  from sessions s where id = any($1::uuid[])`;

/** Those of the sessions that exist, by id. */
export async function readWatchedSessions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WatchedSession>> {
  const rows =
    ids.length === 0 ? [] : await prepared<WatchedSession>(db, 'read-watched-sessions', readWatched, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
