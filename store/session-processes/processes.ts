/** What the processes of a session report, the latest of each. */
import { maxStoredInteger } from '../../contract/names.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import {
  type ProcessKind,
  type ProcessReport,
  type SessionProcess,
  sessionProcess,
} from '../../contract/session-process.ts';
import { type Db, prepared, type Transaction } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readConfiguration } from '../session-configurations/configurations.ts';
import { type EarlierOutput, earlierOutput } from './outputs.ts';

/** What is known of a process by its configuration alone. */
type Frozen = Pick<SessionProcess, 'kind' | 'name' | 'ready_limit_seconds'>;

const reported = sessionProcess.omit({ ready_limit_seconds: true });

/**
 * Every process of a session, also those without a report: servers, siblings, then the agent. Empty before
 * the freeze. None runs once the session has ended, although nobody reported its end.
 */
export async function listProcesses(db: Db, sessionId: string): Promise<SessionProcess[]> {
  const configuration = await readConfiguration(db, sessionId);
  if (configuration === null) {
    return [];
  }
  const query = db('session_processes')
    .where({ session_id: sessionId })
    .select(
      ...['kind', 'name', 'exit_code', 'signal', 'cause', 'handshake_ms', 'faults', 'updated_at'],
      'output_size_bytes',
      db.raw('earlier_starts::bigint + starts as starts'),
      db.raw(`case when state in ('starting', 'ready') and (select ended_at is not null from sessions where id = session_id)
        then 'ended' else state end as state`),
    );
  const rows = await readRows(query, reported);
  const known = new Map(rows.map((row) => [`${row.kind}/${row.name}`, row]));
  return frozenOf(configuration).map((each) => ({
    ...unreported,
    ...known.get(`${each.kind}/${each.name}`),
    ...each,
  }));
}

const frozen = (kind: ProcessKind, name: string, limitSeconds?: number): Frozen => ({
  kind,
  name,
  ready_limit_seconds: limitSeconds ?? null,
});

const frozenOf = ({ servers, siblings }: FrozenConfiguration): Frozen[] => [
  ...servers.map(({ name }) => frozen('server', name)),
  ...siblings.map(({ name, ready }) => frozen('sibling', name, ready?.timeout_seconds)),
  frozen('agent', 'agent'),
];

const unreported: Omit<SessionProcess, keyof Frozen> = {
  state: 'not_started',
  starts: 0,
  exit_code: null,
  signal: null,
  cause: null,
  handshake_ms: null,
  faults: [],
  updated_at: null,
  output_size_bytes: null,
};

/**
 * Ignores stale reports, and processes that the session does not have. A restarted sidecar does not know
 * processes that are still running, and reports "not started": the known state is kept, except for an end
 * that it reports. Its counts and output start at zero: the earlier ones are kept separately and come before
 * them.
 */
const recordReport = `
  insert into session_processes as known
    (session_id, kind, name, sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms, faults)
  select $1::uuid, $2::text, $3::text, $5::uuid, $6::int, $7::int, $8::text, $9::int, $10::text, $11::text, $12::int, $13::jsonb
  where ($2 = 'agent' and $3 = 'agent') or exists (
    select from session_configurations where session_id = $1
      and configuration -> $4::text @> jsonb_build_array(jsonb_build_object('name', $3)))
  on conflict (session_id, kind, name) do update set
    earlier_starts = least(${maxStoredInteger}, known.earlier_starts::bigint
      + case when known.sidecar_run = excluded.sidecar_run then 0 else known.starts end),
    earlier_written_bytes = case when known.sidecar_run = excluded.sidecar_run
      then known.earlier_written_bytes else coalesce(known.output_written_bytes, 0) end,
    earlier_output_size_bytes = case when known.sidecar_run = excluded.sidecar_run
      then known.earlier_output_size_bytes else coalesce(known.output_size_bytes, 0) end,
    sidecar_run = excluded.sidecar_run, revision = excluded.revision, starts = excluded.starts,
    state = case when excluded.state <> 'not_started' then excluded.state
      when known.state in ('starting', 'ready') and num_nonnulls(excluded.exit_code, excluded.signal) > 0 then 'ended'
      else known.state end,
    exit_code = case when excluded.state = 'not_started' and excluded.signal is null
      then coalesce(excluded.exit_code, known.exit_code) else excluded.exit_code end,
    signal = case when excluded.state = 'not_started' and excluded.exit_code is null
      then coalesce(excluded.signal, known.signal) else excluded.signal end,
    cause = case when excluded.state = 'not_started' then known.cause else excluded.cause end,
    handshake_ms = case when excluded.state = 'not_started' then known.handshake_ms else excluded.handshake_ms end,
    faults = excluded.faults, updated_at = now()
  where known.sidecar_run <> excluded.sidecar_run or known.revision < excluded.revision
  returning earlier_output_size_bytes, earlier_written_bytes`;

const listOf: Readonly<Record<ProcessKind, string>> = { agent: '', server: 'servers', sibling: 'siblings' };

/**
 * Writes the state of a process. Returns what earlier sidecars had stored of its output, or null for a report
 * that is ignored.
 */
export async function upsertProcess(
  trx: Transaction,
  sessionId: string,
  report: ProcessReport,
): Promise<EarlierOutput | null> {
  const { kind, name, sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms } = report;
  const faults = JSON.stringify(report.faults ?? []);
  const values = [sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms, faults];
  const key = [sessionId, kind, name, listOf[kind]];
  const statement = prepared(trx, 'record_process', recordReport, [...key, ...values]);
  const [taken] = await readRows(statement, earlierOutput);
  return taken ?? null;
}
