/**
 * Calls are recorded, each once: as they end, when they are beyond a limit, while they are open, and when
 * nobody can report them any more.
 */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { type OpenCallReport, openCallList } from '../../contract/open-calls.ts';
import { platformServerName } from '../../contract/platform-server-name.ts';
import type { Session } from '../../contract/session.ts';
import type { CallRecord, RefusedCallCount } from '../../contract/tool-call.ts';
import { type Db, inTransaction, prepared } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';
import { withSessionsOfAgent } from '../sessions/of-agent.ts';
import { readSession } from '../sessions/sessions.ts';

/**
 * A statement that adds audit events of the session `$1`, each exactly once by its id; the session counts
 * what it has on record. `rows` selects the columns of the insert, and leaves out what was removed
 * (`notRemoved`).
 */
const insertRecords = (rows: string): string => `
  with inserted as (
    insert into audit_events
      (id, workspace_id, event, at, actor_type, actor_id, resource_type, resource_id, resource_name, session_id, data)
    ${rows}
    on conflict (id) do nothing
    returning id
  )
  update sessions set recorded_calls = recorded_calls + (select count(*) from inserted)
  where id = $1 and exists (select from inserted)`;

/** A condition: no record of this id was removed because of its age. */
const notRemoved = (id: string): string =>
  `not exists (select from removed_call_ids r where r.call_id = ${id})`;

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
 * Adds ended calls to the audit trail, each exactly once by its call id. Which grant a call passed on is read
 * from the check's own record, not taken from the report.
 */
export async function recordToolCalls(db: Db, session: Session, calls: readonly CallRecord[]): Promise<void> {
  const values = [session.id, session.workspace_id, session.agent_id, JSON.stringify(calls)];
  await prepared(db, 'record_tool_calls', recordCalls, values);
}

const batchSize = 500;

/**
 * How many records of calls the session has made so far: single ones, counts of refused ones, and those
 * removed since.
 */
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

/**
 * The launch of a session uses grants, too, without a server; and so does a platform tool, whose calls its
 * sidecar records under ids of its own.
 */
const recordUnreported = insertRecords(`
    select u.call_id, s.workspace_id, 'session.mcp.tool_called', u.at, 'agent', s.agent_id, 'mcp_server', u.server, u.server, $1,
      jsonb_build_object('name', u.server, 'tool', u.tool, 'duration_ms', 0, 'granted_via', u.grant_id, 'outcome', 'unknown')
    from grant_uses u join sessions s on s.id = u.session_id
    where u.session_id = $1 and u.server not in ('', '${platformServerName}')
      and not exists (select from audit_events e where e.id = u.call_id) and ${notRemoved('u.call_id')}
    order by u.at, u.call_id`);

/**
 * Adds each call that passed its check and has no record to the audit trail, as `unknown`. Call it once
 * nothing of the session is left that could report more. Changes nothing for a session that runs. Idempotent;
 * a later report of such a call is ignored.
 */
export function settleCalls(db: Db, sessionId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    // Waits for checks under way, whose rows the next statement then sees; later ones are refused
    // by a trigger of the table.
    const ended = trx('sessions').where({ id: sessionId }).whereNotNull('ended_at').forUpdate().first('id');
    if ((await ended) !== undefined) {
      await prepared(trx, 'record_unreported_calls', recordUnreported, [sessionId]);
      await trx('sessions').where({ id: sessionId }).update({ calls_settled_at: trx.fn.now() });
    }
  });
}

/** Ended sessions that were not settled, latest first. */
export function listUnsettledSessionIds(db: Db, { limit }: { limit: number }): Promise<string[]> {
  return db('sessions')
    .whereNotNull('ended_at')
    .whereNull('calls_settled_at')
    .orderBy('ended_at', 'desc')
    .limit(limit)
    .pluck('id');
}

/** Those that go with an agent. */
export async function listUnsettledSessionsOfAgent(db: Db, agentId: string): Promise<string[]> {
  const statement = db.raw(
    `${withSessionsOfAgent}
     select id from affected where ended_at is not null and calls_settled_at is null order by id`,
    [agentId],
  );
  return (await readRows(statement, z.object({ id: uuid }))).map(({ id }) => id);
}
