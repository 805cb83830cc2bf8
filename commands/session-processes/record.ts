import type { Session } from '../../contract/session.ts';
import { systemActor } from '../../contract/session-event.ts';
import type { ProcessReport } from '../../contract/session-process.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { storeOutput } from '../../store/session-processes/store-output.ts';
import { upsertProcess } from '../../store/session-processes/upsert.ts';

/**
 * Stores the state of a process, seals its output, and appends an event the first time that a server fails for a given cause, and that an
 * answer of it did not pass for a given reason.
 * Idempotent.
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
