import type { Session } from '../../../contract/session.ts';
import type { Actor } from '../../../contract/session-event.ts';
import type { EventReport } from '../../../contract/sidecar.ts';
import { type Db, inTransaction, type Transaction } from '../../../store/database.ts';
import { insertInputRequest } from '../../../store/input-requests/input-requests.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { findSessionOfEvent, takePublishedBytes } from '../../../store/session-events/published-bytes.ts';
import { insertShare } from '../../../store/shares/shares.ts';
import { ApiError, invalid } from '../../errors.ts';

/**
 * Appends the event together with what it announces: a question to the user, or a share. Idempotent.
 * Throws 422 for a share of nothing, 409 for an id that another session uses, 413 when the agent has reached its limit
 * of published bytes.
 */
export async function publishEvent(
  db: Db,
  session: Session,
  event: EventReport,
  { limitBytes }: { limitBytes: number },
): Promise<void> {
  const actor: Actor = { type: 'agent', id: session.agent_id };
  await inTransaction(db, async (trx) => {
    const known = await findSessionOfEvent(trx, event.id);
    if (known === session.id) {
      return;
    }
    if (known !== null) {
      throw new ApiError('conflict', 'The event id is in use');
    }
    const sizeBytes = Buffer.byteLength(JSON.stringify(event.payload));
    if (!(await takePublishedBytes(trx, session.id, { sizeBytes, limitBytes }))) {
      throw new ApiError(
        'too_large',
        `The limit is ${limitBytes} bytes for the events of a session together`,
      );
    }
    await appendSessionEvent(trx, session.id, { ...event, actor });
    await storeAnnounced(trx, session.id, event);
  });
}

/** The question or the share that an event announces. */
async function storeAnnounced(trx: Transaction, sessionId: string, event: EventReport): Promise<void> {
  if (event.type === 'agent.input_requested') {
    const { input_request_id: id, prompt, options } = event.payload;
    if (!(await insertInputRequest(trx, sessionId, { id, prompt, options }))) {
      throw new ApiError('conflict', 'The input request id is in use');
    }
  }
  if (event.type === 'agent.shared') {
    const stored = await insertShare(trx, sessionId, event.payload);
    if (stored === 'id_taken') {
      throw new ApiError('conflict', 'The share id is in use');
    }
    if (stored === 'unknown_artifact') {
      const message = 'there is no such artifact in this session';
      throw invalid([{ path: 'payload.artifact_id', code: 'unknown_reference', message }]);
    }
  }
}
