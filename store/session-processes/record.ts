import { maxStoredInteger } from '../../contract/names.ts';
import type { Session } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import { maxOutputBytes, type ProcessKind, type ProcessReport } from '../../contract/session-process.ts';
import { type Db, inTransaction, prepared, type Transaction } from '../database.ts';
import { type MasterKeys, seal } from '../secrets/envelope.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { derivedId } from '../session-events/derived-id.ts';
import { outputIdentity } from './output-seal.ts';

/** A report that is older than what is there changes nothing. A process that the session does not have is not taken. */
const recordReport = `
  insert into session_processes as known
    (session_id, kind, name, sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms)
  select $1::uuid, $2::text, $3::text, $5::uuid, $6::int, $7::int, $8::text, $9::int, $10::text, $11::text, $12::int
  where ($2 = 'agent' and $3 = 'agent') or exists (
    select from session_configurations where session_id = $1
      and configuration -> $4::text @> jsonb_build_array(jsonb_build_object('name', $3)))
  on conflict (session_id, kind, name) do update set
    earlier_starts = least(${maxStoredInteger}, known.earlier_starts::bigint
      + case when known.sidecar_run = excluded.sidecar_run then 0 else known.starts end),
    sidecar_run = excluded.sidecar_run, revision = excluded.revision, starts = excluded.starts,
    state = excluded.state, exit_code = excluded.exit_code, signal = excluded.signal, cause = excluded.cause,
    handshake_ms = excluded.handshake_ms, updated_at = now()
  where known.sidecar_run <> excluded.sidecar_run or known.revision < excluded.revision
  returning name`;

const listOf: Readonly<Record<ProcessKind, string>> = { agent: '', server: 'servers', sibling: 'siblings' };

/**
 * Stores how a process stands, seals what it wrote, and appends the event for a failure that this server has not had for this cause.
 * The same report again changes nothing.
 */
export async function recordProcess(
  db: Db,
  keys: MasterKeys,
  session: Session,
  report: ProcessReport,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { kind, name, sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms } =
      report;
    const values = [sidecar_run, revision, starts, state, exit_code, signal, cause, handshake_ms];
    const key = [session.id, kind, name, listOf[kind]];
    const taken = await prepared(trx, 'record_process', recordReport, [...key, ...values]);
    if (taken.length === 0) {
      return;
    }
    const { output } = report;
    if (output !== undefined) {
      await storeOutput(trx, keys, session, { ...report, output });
    }
    if (kind === 'server' && state === 'failed' && cause !== null) {
      await appendSessionEvent(trx, session.id, {
        id: derivedId('server_failed', session.id, name, cause),
        type: 'session.server_failed',
        actor: systemActor,
        payload: { server: name, cause, exit_code, signal },
      });
    }
  });
}

async function storeOutput(
  trx: Transaction,
  keys: MasterKeys,
  { id: sessionId, workspace_id: workspaceId }: Session,
  { kind, name, output }: ProcessReport & { output: NonNullable<ProcessReport['output']> },
): Promise<void> {
  const bytes = Buffer.from(output.base64, 'base64').subarray(-maxOutputBytes);
  const sealed = seal(keys, outputIdentity(workspaceId, { sessionId, kind, name }), bytes);
  await trx('session_processes')
    .where({ session_id: sessionId, kind, name })
    .update({
      sealed_output: sealed.sealedValue,
      sealed_data_key: sealed.sealedDataKey,
      key_id: sealed.keyId,
      output_size_bytes: bytes.length,
      output_written_bytes: Math.max(bytes.length, output.written_bytes),
      output_updated_at: trx.fn.now(),
    });
}
