/** Messages to a session: of the person who drives it, and of the session above or below it. */
import type { InputMessage, MessageSender } from '../../contract/agent-contract.ts';
import { isTerminal, type Session } from '../../contract/session.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { answerOldestInputRequest } from '../../store/input-requests/input-requests.ts';
import { appendSessionEvent, derivedId, findSessionOfEvent } from '../../store/session-events/append.ts';
import {
  addSessionInput,
  requireRoomForInput,
  requireRoomForSessionMessage,
} from '../../store/session-inputs/inputs.ts';
import { agentNameOf, readSession } from '../../store/sessions/sessions.ts';
import { lockTree } from '../../store/sessions/tree.ts';
import { type MessageLimits, takeAllowance } from '../channel-messages/messages.ts';

/**
 * Stores a person's message for the agent of a session, with its event. It answers the agent's oldest open
 * question. Throws QuotaExceededError while more than `limitBytes` are undelivered.
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

/** What one session is to another. */
type Relation = MessageSender['relation'];

/** Its sidecar keeps what a session receives, however many children send it. */
const maxReceivedBytes = 16 * 1024 * 1024;

interface SessionMessage {
  /** Of the sender's call; stays when the call is sent again. */
  callId: string;
  senderId: string;
  receiverId: string;
  /** What the receiver must be to the sender. */
  relation: Relation;
  text: string;
}

interface SessionMessageLimits extends MessageLimits {
  undeliveredBytes: number;
}

type Sent =
  | { result: 'sent'; messageId: string }
  /** The receiver is not that to the sender, or there is no such session. */
  | { result: 'unrelated' }
  | { result: 'sender_ended' }
  | { result: 'receiver_ended' };

/**
 * Sends what one agent wrote to the agent of the session directly above or below its own, with an event in
 * both transcripts and an audit event without the text. It is an input of a kind of its own that names its
 * sender: it answers no question and decides nothing. Idempotent by call. Throws QuotaExceededError.
 */
export function sendBetweenSessions(
  db: Db,
  { callId, senderId, receiverId, relation, text }: SessionMessage,
  limits: SessionMessageLimits,
): Promise<Sent> {
  const messageId = derivedId(senderId, callId, 'message');
  return inTransaction(db, async (trx) => {
    await lockTree(trx, senderId);
    const [sender, receiver] = [await readSession(trx, senderId), await readSession(trx, receiverId)];
    if (sender === null || receiver === null || !isRelated(sender, receiver, relation)) {
      return { result: 'unrelated' };
    }
    if ((await findSessionOfEvent(trx, derivedId(messageId, 'sent'))) === senderId) {
      return { result: 'sent', messageId };
    }
    if (isTerminal(sender.status)) {
      return { result: 'sender_ended' };
    }
    if (isTerminal(receiver.status)) {
      return { result: 'receiver_ended' };
    }
    await deliver(trx, { sender, receiver, relation }, { messageId, text }, limits);
    await appendAuditEvent(trx, {
      id: derivedId(messageId, 'posted'),
      workspaceId: sender.workspace_id,
      event: 'session.message.posted',
      actor: { type: 'agent', id: sender.agent_id },
      resource: { type: 'session', id: receiverId, name: await agentNameOf(trx, receiver.agent_id) },
      sessionId: senderId,
      data: { message_id: messageId, characters: text.length },
    });
    return { result: 'sent', messageId };
  });
}

const isRelated = (sender: Session, receiver: Session, relation: Relation) =>
  relation === 'child' ? receiver.parent_session_id === sender.id : sender.parent_session_id === receiver.id;

async function deliver(
  trx: Transaction,
  { sender, receiver, relation }: { sender: Session; receiver: Session; relation: Relation },
  { messageId, text }: { messageId: string; text: string },
  limits: SessionMessageLimits,
): Promise<void> {
  const actor = { type: 'agent', id: sender.agent_id } as const;
  const [from, to] = [await agentOf(trx, sender), await agentOf(trx, receiver)];
  const ofSender = relation === 'child' ? 'parent' : 'child';
  const common = { message_id: messageId, text };
  const sent = { ...common, direction: 'sent', relation, session_id: receiver.id, agent: to } as const;
  await takeAllowance(trx, sender.id, Buffer.byteLength(JSON.stringify(sent)), limits);
  await appendSessionEvent(trx, sender.id, {
    id: derivedId(messageId, 'sent'),
    type: 'session.message',
    actor,
    payload: sent,
  });
  await appendSessionEvent(trx, receiver.id, {
    id: derivedId(messageId, 'received'),
    type: 'session.message',
    actor,
    payload: { ...common, direction: 'received', relation: ofSender, session_id: sender.id, agent: from },
  });
  // The event has locked the receiver's row: of two messages at the limit one is refused.
  await requireRoomForInput(trx, receiver.id, { text, limitBytes: limits.undeliveredBytes });
  await requireRoomForSessionMessage(trx, receiver.id, { text, limitBytes: maxReceivedBytes });
  await addSessionInput(trx, receiver.id, {
    id: messageId,
    kind: 'session_message',
    text,
    decision: null,
    inputRequestId: null,
    sender: { relation: ofSender, session_id: sender.id, agent: from },
  });
}

const agentOf = async (trx: Transaction, { agent_id: id }: Session) => ({
  id,
  name: await agentNameOf(trx, id),
});
