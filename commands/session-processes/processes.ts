/** What a session's processes report, and what they wrote. */
import type { Session } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { ProcessKind, ProcessOutput, ProcessReport } from '../../contract/session-process.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { readOutput, storeOutput } from '../../store/session-processes/outputs.ts';
import { upsertProcess } from '../../store/session-processes/processes.ts';

/**
 * Stores the state of a process, seals its output, and appends an event the first time that a server fails
 * for a given cause, and that an answer of it did not pass for a given reason. Idempotent.
 */
export async function recordProcess(
  db: Db,
  keys: MasterKeys,
  session: Session,
  report: ProcessReport,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const earlier = await upsertProcess(trx, session.id, report);
    if (earlier === null) {
      return;
    }
    const { kind, name, state, exit_code, signal, cause, output, faults = [] } = report;
    if (output !== undefined) {
      await storeOutput(trx, keys, session, { ...report, output, earlier });
    }
    if (kind === 'server' && state === 'failed' && cause !== null) {
      await appendSessionEvent(trx, session.id, {
        id: derivedId('server_failed', session.id, name, cause),
        type: 'session.server_failed',
        actor: systemActor,
        payload: { server: name, cause, exit_code, signal },
      });
    }
    for (const { reason } of kind === 'server' ? faults : []) {
      await appendSessionEvent(trx, session.id, {
        id: derivedId('answer_refused', session.id, name, reason),
        type: 'session.answer_refused',
        actor: systemActor,
        payload: { server: name, reason },
      });
    }
  });
}

/**
 * What a process wrote to stderr, as far as it is kept; audited in the same transaction. Null when there is
 * none. Throws UnreadableSecretError when the key that sealed it is missing.
 */
export function readProcessOutput(
  db: Db,
  keys: MasterKeys,
  { session, kind, name, userId }: { session: Session; kind: ProcessKind; name: string; userId: string },
): Promise<ProcessOutput | null> {
  return inTransaction(db, async (trx) => {
    const output = await readOutput(trx, keys, session.workspace_id, { sessionId: session.id, kind, name });
    if (output !== null) {
      await appendAuditEvent(trx, {
        workspaceId: session.workspace_id,
        event: 'session.output_read',
        actor: { type: 'user', id: userId },
        resource: { type: 'session', id: session.id, name },
        sessionId: session.id,
        data: { kind, name },
      });
    }
    return output;
  });
}
