import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { sessionStatus } from '../../contract/session.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

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
  /** Changes when the session has a new audit record, such as a tool call, a process's state changed, or other calls wait for their server. */
  last_record: z.string(),
});
export type WatchedSession = z.infer<typeof watchedSession>;

const readWatched = `
  select id, workspace_id, operator_id, root_operator_id, schedule_maker_id, shared_with_workspace, status, last_event_seq,
    concat_ws(' ',
      (select position from audit_events a where a.session_id = s.id order by position desc limit 1),
      (select max(updated_at) from session_processes p where p.session_id = s.id),
      (select concat(sidecar_run, '.', revision) from session_open_calls o where o.session_id = s.id)) as last_record
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
