import { randomUUID } from 'node:crypto';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionSignals } from '../../../contract/workflows.ts';
import type { User } from '../../../contract/workspace.ts';
import { inTransaction } from '../../../store/database.ts';
import { answerOldestInputRequest } from '../../../store/input-requests/input-requests.ts';
import { appendSessionEvent } from '../../../store/session-events/append.ts';
import { addSessionInput } from '../../../store/session-inputs/add.ts';
import { requireRoomForInput } from '../../../store/session-inputs/delivery.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/**
 * Stores a message for the agent with its event, then triggers its delivery. When Temporal is unavailable, the message
 * stays stored and goes with the next delivery. Throws QuotaExceededError while too much is undelivered.
 */
export async function sendMessage(
  { db, config, workflows, log }: Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>,
  { session, user, text }: { session: Session; user: User; text: string },
): Promise<InputMessage> {
  const id = randomUUID();
  const message = await inTransaction(db, async (trx) => {
    const inputRequestId = await answerOldestInputRequest(trx, session.id);
    await appendSessionEvent(trx, session.id, {
      id,
      type: 'user.message',
      actor: { type: 'user', id: user.id },
      payload: { message_id: id, text },
    });
    // The event has locked the session's row: of two messages at the limit one is refused.
    await requireRoomForInput(trx, session.id, {
      text,
      limitBytes: config.LIMIT_UNDELIVERED_MESSAGE_BYTES,
    });
    const kind = inputRequestId === null ? 'user_message' : 'input_answer';
    return addSessionInput(trx, session.id, { id, kind, text, decision: null, inputRequestId });
  });
  await workflows
    .signalSession(session.id, sessionSignals.inputAvailable)
    .catch((err: unknown) => log.warn({ err, session_id: session.id }, 'the message is delivered later'));
  return message;
}
