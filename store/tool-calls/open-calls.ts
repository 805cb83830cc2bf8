/** The calls of a session that wait for their server, as its sidecar last told. */
import * as z from 'zod';
import { type OpenCallReport, openCallList } from '../../contract/open-calls.ts';
import { type Db, prepared } from '../database.ts';
import { readRow } from '../read-rows.ts';

const replaceCalls = `
  insert into session_open_calls as known (session_id, sidecar_run, revision, calls, count) values ($1, $2, $3, $4, $5)
  on conflict (session_id) do update set
    sidecar_run = excluded.sidecar_run, revision = excluded.revision, calls = excluded.calls, count = excluded.count
  where known.sidecar_run <> excluded.sidecar_run or known.revision < excluded.revision`;

/** Ignores a report that is older than the stored one. */
export async function storeOpenCalls(
  db: Db,
  sessionId: string,
  { sidecar_run, revision, calls, count }: OpenCallReport,
): Promise<void> {
  const values = [sessionId, sidecar_run, revision, JSON.stringify(calls), count];
  await prepared(db, 'store_open_calls', replaceCalls, values);
}

/** None of a session that has ended, whatever its sidecar told before. */
export async function listOpenCalls(db: Db, sessionId: string): Promise<z.infer<typeof openCallList>> {
  const query = db('session_open_calls as o')
    .join('sessions as s', 's.id', 'o.session_id')
    .where('o.session_id', sessionId)
    .whereNull('s.ended_at')
    .first('o.calls as open_calls', 'o.count');
  return (await readRow(query, z.object(openCallList.shape))) ?? { open_calls: [], count: 0 };
}
