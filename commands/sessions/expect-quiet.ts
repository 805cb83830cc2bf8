import { isTerminal, type Session } from '../../contract/session.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  appendSessionEvent,
  derivedId,
  findSessionOfEvent,
  requirePublishedBytes,
} from '../../store/session-events/append.ts';
import { expectQuiet, readIdleState } from '../../store/sessions/activity.ts';
import { lockSession } from '../../store/sessions/sessions.ts';

/**
 * Keeps a session from being ended for being idle for `seconds` from now, and says so in its transcript. Of
 * two such times the later one stays. Returns it, or null once the session has ended. Idempotent by call.
 * Throws QuotaExceededError.
 */
export function expectQuietFor(
  db: Db,
  { id, agent_id: agentId }: Pick<Session, 'id' | 'agent_id'>,
  { callId, seconds, reason }: { callId: string; seconds: number; reason: string | null },
  { publishedBytes: limitBytes }: { publishedBytes: number },
): Promise<string | null> {
  const payload = { status: `Expects to be quiet for ${seconds} s`, detail: reason };
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, id);
    if (session === null || isTerminal(session.status)) {
      return null;
    }
    const eventId = derivedId(id, callId, 'quiet');
    if ((await findSessionOfEvent(trx, eventId)) === id) {
      return (await readIdleState(trx, id)).quietUntil;
    }
    const sizeBytes = Buffer.byteLength(JSON.stringify(payload));
    await requirePublishedBytes(trx, id, { sizeBytes, limitBytes });
    await appendSessionEvent(trx, id, {
      id: eventId,
      type: 'agent.status',
      actor: { type: 'agent', id: agentId },
      payload,
    });
    return expectQuiet(trx, id, { seconds });
  });
}
