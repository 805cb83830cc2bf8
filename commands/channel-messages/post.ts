import { isTerminal, type Session } from '../../contract/session.ts';
import type { NewSessionEvent } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { insertChannelMessage } from '../../store/channel-messages/messages.ts';
import { type LockedChannel, listsAgent, lockChannel } from '../../store/channels/change.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { appendSessionEvent } from '../../store/session-events/append.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';
import { findSessionOfEvent } from '../../store/session-events/published-bytes.ts';
import { agentNameOf } from '../../store/sessions/agent-name.ts';
import { lockSession } from '../../store/sessions/status.ts';
import { type MessageLimits, takeAllowance } from './take-allowance.ts';
import { requireRoomToWait } from './waiting.ts';

export interface Posting {
  /** Stays when the call is sent again. */
  callId: string;
  text: string;
  /** Null for the session's own conversation. */
  channel: string | null;
}

export interface PostingLimits extends MessageLimits {
  waitingPerChannel: number;
}

export type Posted =
  | { result: 'posted'; messageId: string }
  /** No channel of that name lists the agent, whether there is one or not. */
  | { result: 'not_allowed' }
  | { result: 'session_ended' };

/**
 * Posts what an agent wrote to its session's conversation or to a channel, with its event and its audit event. Idempotent by the call's id:
 * a call that had its effect has the same answer, whatever changed since. Throws QuotaExceededError.
 */
export function postMessage(
  db: Db,
  {
    id: sessionId,
    workspace_id: workspaceId,
    agent_id: agentId,
  }: Pick<Session, 'id' | 'workspace_id' | 'agent_id'>,
  { callId, text, channel: name }: Posting,
  limits: PostingLimits,
): Promise<Posted> {
  const messageId = derivedId(sessionId, callId, 'message');
  return inTransaction(db, async (trx) => {
    // The lock also orders two deliveries of one call.
    const session = await lockSession(trx, sessionId);
    if ((await findSessionOfEvent(trx, messageId)) === sessionId) {
      return { result: 'posted', messageId };
    }
    if (session === null || isTerminal(session.status)) {
      return { result: 'session_ended' };
    }
    const channel = name === null ? null : await channelFor(trx, { workspaceId, name }, agentId);
    if (name !== null && channel === null) {
      return { result: 'not_allowed' };
    }
    const event = eventOf(messageId, { channel, text, agentId });
    const sizeBytes = Buffer.byteLength(JSON.stringify(event.payload));
    await takeAllowance(trx, sessionId, sizeBytes, limits);
    if (channel !== null) {
      await requireRoomToWait(trx, channel.id, { limit: limits.waitingPerChannel });
    }
    await appendSessionEvent(trx, sessionId, event);
    if (channel !== null) {
      const none = { requestId: null, linkOrigin: null, failure: null };
      await insertChannelMessage(trx, {
        ...{ id: messageId, workspaceId, channel, kind: 'message', sessionId },
        ...none,
      });
    }
    await appendAuditEvent(trx, {
      id: derivedId(messageId, 'posted'),
      workspaceId,
      event: 'session.message.posted',
      actor: event.actor,
      resource:
        channel === null
          ? { type: 'session', id: sessionId, name: await agentNameOf(trx, agentId) }
          : { type: 'channel', ...channel },
      sessionId,
      data: { message_id: messageId, characters: text.length },
    });
    return { result: 'posted', messageId };
  });
}

/** The channel of that name, locked, when it lists the agent. */
async function channelFor(
  trx: Transaction,
  key: { workspaceId: string; name: string },
  agentId: string,
): Promise<LockedChannel | null> {
  const channel = await lockChannel(trx, key);
  return channel !== null && (await listsAgent(trx, channel.id, agentId)) ? channel : null;
}

function eventOf(
  id: string,
  { channel, text, agentId }: { channel: LockedChannel | null; text: string; agentId: string },
): NewSessionEvent {
  const actor = { type: 'agent', id: agentId } as const;
  return channel === null
    ? { id, type: 'agent.message', actor, payload: { text, channel: null } }
    : { id, type: 'agent.channel_message', actor, payload: { channel: channel.name, text } };
}
