import type { Session } from '../../contract/session.ts';
import type { CallRecord, RefusedCallCount } from '../../contract/tool-call.ts';
import { type Db, prepared } from '../database.ts';
import { readSession } from '../sessions/read-session.ts';
import { insertRecords, notRemoved } from './insert-records.ts';
import { recordRefusedCalls } from './record-refused.ts';

/** Payloads are stored only if the session's frozen configuration says so, whatever a report holds. */
const recordCalls = insertRecords(`
    select c.call_id, $2, 'session.mcp.tool_called', c.started_at, 'agent', $3, 'mcp_server', c.server, c.server, $1,
      jsonb_build_object('name', c.server, 'tool', c.tool, 'duration_ms', c.duration_ms,
        'granted_via', u.grant_id, 'outcome', c.outcome)
      || jsonb_strip_nulls(jsonb_build_object('reason', c.reason))
      || case when s.configuration -> 'log_tool_payloads' = 'true'
        then jsonb_strip_nulls(jsonb_build_object('arguments', c.arguments, 'result', c.result)) else '{}' end
    from rows from (jsonb_to_recordset($4::jsonb) as
      (call_id uuid, server text, tool text, started_at timestamptz, duration_ms double precision, outcome text, reason text,
        arguments jsonb, result jsonb)) with ordinality
      as c (call_id, server, tool, started_at, duration_ms, outcome, reason, arguments, result, reported)
    left join grant_uses u on u.call_id = c.call_id and u.session_id = $1
    left join session_configurations s on s.session_id = $1
    where ${notRemoved('c.call_id')}
    order by c.started_at, c.reported`);

/**
 * Adds ended calls to the audit trail, each exactly once by its call id. Which grant a call passed on is read from
 * the check's own record, not taken from the report.
 */
export async function recordToolCalls(db: Db, session: Session, calls: readonly CallRecord[]): Promise<void> {
  const values = [session.id, session.workspace_id, session.agent_id, JSON.stringify(calls)];
  await prepared(db, 'record_tool_calls', recordCalls, values);
}

const batchSize = 500;

/** How many records of calls the session has made so far: single ones, counts of refused ones, and those removed since. */
export async function readRecordedCalls(db: Db, sessionId: string): Promise<number> {
  const row = await db('sessions').where({ id: sessionId }).first('recorded_calls');
  return row?.recorded_calls ?? 0;
}

/**
 * Adds what was left in a session's audit spool, before or after its end. Calls of a removed session
 * are dropped.
 */
export async function recordLeftCalls(
  db: Db,
  sessionId: string,
  calls: readonly CallRecord[],
  counts: readonly RefusedCallCount[] = [],
): Promise<void> {
  const session = await readSession(db, sessionId);
  for (let start = 0; session !== null && start < calls.length; start += batchSize) {
    await recordToolCalls(db, session, calls.slice(start, start + batchSize));
  }
  for (let start = 0; session !== null && start < counts.length; start += batchSize) {
    await recordRefusedCalls(db, session, counts.slice(start, start + batchSize));
  }
}
