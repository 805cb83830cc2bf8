import type { Session } from '../../contract/session.ts';
import type { RefusedCallCount } from '../../contract/tool-call.ts';
import { type Db, prepared } from '../database.ts';
import { insertRecords, notRemoved } from './insert-records.ts';

/** The event has the time of its minute, however late it is reported. */
const recordCounts = insertRecords(`
    select c.count_id, $2, 'session.mcp.calls_refused', c.minute, 'agent', $3, 'mcp_server', c.server, c.server, $1,
      jsonb_build_object('name', c.server, 'tool', c.tool, 'outcome', c.outcome, 'count', c.count)
    from jsonb_to_recordset($4::jsonb) as c
      (count_id uuid, server text, tool text, outcome text, minute timestamptz, count bigint)
    where ${notRemoved('c.count_id')}
    order by c.minute`);

/** Adds counts of calls that were refused beyond a limit to the audit trail, each exactly once by its id. */
export async function recordRefusedCalls(
  db: Db,
  session: Session,
  counts: readonly RefusedCallCount[],
): Promise<void> {
  const values = [session.id, session.workspace_id, session.agent_id, JSON.stringify(counts)];
  await prepared(db, 'record_refused_calls', recordCounts, values);
}
