import type { InputMessage } from '../../contract/agent-contract.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { answerOldestInputRequest } from '../../store/input-requests/input-requests.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { addSessionInput } from '../../store/session-inputs/add.ts';
import { requireRoomForInput } from '../../store/session-inputs/delivery.ts';

/**
 * Stores a person's message for the agent of a session, with its event. It answers the agent's oldest open question.
 * Throws QuotaExceededError while more than `limitBytes` are undelivered.
 */
export function addMessage(
  db: Db,
  sessionId: string,
  { id, userId, text, limitBytes }: { id: string; userId: string; text: string; limitBytes: number },
): Promise<InputMessage> {
  return inTransaction(db, async (trx) => {
    const inputRequestId = await answerOldestInputRequest(trx, sessionId);
    await appendSessionEvent(trx, sessionId, {
      id,
      type: 'user.message',
      actor: { type: 'user', id: userId },
      payload: { message_id: id, text },
    });
    // The event has locked the session's row: of two messages at the limit one is refused.
    await requireRoomForInput(trx, sessionId, { text, limitBytes });
    const kind = inputRequestId === null ? 'user_message' : 'input_answer';
    return addSessionInput(trx, sessionId, { id, kind, text, decision: null, inputRequestId });
  });
}
