/**
 * Messages to channels: what an agent posts, what the platform announces, and an admin's test. Each is
 * stored, then delivered.
 */
import { randomUUID } from 'node:crypto';
import { isTerminal, type Session } from '../../contract/session.ts';
import type { NewSessionEvent } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import {
  countWaiting,
  insertChannelMessage,
  takeMessageAllowance,
} from '../../store/channel-messages/messages.ts';
import {
  type ChannelKey,
  type LockedChannel,
  listsAgent,
  lockAnnouncingChannels,
  lockChannel,
} from '../../store/channels/channels.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quotas.ts';
import {
  appendSessionEvent,
  derivedId,
  findSessionOfEvent,
  requirePublishedBytes,
} from '../../store/session-events/append.ts';
import { agentNameOf, lockSession } from '../../store/sessions/sessions.ts';

export interface MessageLimits {
  perMinute: number;
  publishedBytes: number;
}

/**
 * Counts a message of a session's agent towards its limits. Throws QuotaExceededError when one is reached.
 */
export async function takeAllowance(
  trx: Transaction,
  sessionId: string,
  sizeBytes: number,
  { perMinute, publishedBytes: limitBytes }: MessageLimits,
): Promise<void> {
  if (!(await takeMessageAllowance(trx, sessionId, { perMinute }))) {
    const seconds = Math.ceil(60 / perMinute);
    throw new QuotaExceededError(perMinute, 'messages a minute', seconds);
  }
  await requirePublishedBytes(trx, sessionId, { sizeBytes, limitBytes });
}

/** Throws QuotaExceededError when as many messages wait for the channel, which is locked, as may wait. */
async function requireRoomToWait(
  trx: Transaction,
  channelId: string,
  { limit }: { limit: number },
): Promise<void> {
  if ((await countWaiting(trx, { channelId, isAnnouncement: false }, limit)) >= limit) {
    throw new QuotaExceededError(limit, 'messages that wait for one channel; try again later');
  }
}

export interface AnnouncingOptions {
  /** Messages that may wait for one channel. */
  waitingPerChannel: number;
  /** Where people reach the web UI; null when that is unknown. */
  linkOrigin: string | null;
}

/**
 * Has each channel of the workspace that announces permission requests announce this one, once. Where too
 * many messages wait, the announcement fails at once: nobody's request is refused for it.
 */
export async function announceRequest(
  trx: Transaction,
  request: { id: string; workspaceId: string; sessionId: string },
  { waitingPerChannel, linkOrigin }: AnnouncingOptions,
): Promise<void> {
  const { id: requestId, workspaceId, sessionId } = request;
  for (const channel of await lockAnnouncingChannels(trx, workspaceId)) {
    const waiting = await countWaiting(
      trx,
      { channelId: channel.id, isAnnouncement: true },
      waitingPerChannel,
    );
    await insertChannelMessage(trx, {
      id: derivedId(requestId, 'announced', channel.id),
      ...{ workspaceId, channel, kind: 'permission_request', sessionId, requestId, linkOrigin },
      failure: waiting >= waitingPerChannel ? 'too_many_waiting' : null,
    });
  }
}

interface Posting {
  /** Stays when the call is sent again. */
  callId: string;
  text: string;
  /** Null for the session's own conversation. */
  channel: string | null;
}

interface PostingLimits extends MessageLimits {
  waitingPerChannel: number;
}

type Posted =
  | { result: 'posted'; messageId: string }
  /** No channel of that name lists the agent, whether there is one or not. */
  | { result: 'not_allowed' }
  | { result: 'session_ended' };

/**
 * Posts what an agent wrote to its session's conversation or to a channel, with its event and its audit
 * event. Idempotent by the call's id: a call that had its effect has the same answer, whatever changed since.
 * Throws QuotaExceededError.
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

/**
 * Stores a message that says that it is a test. Returns its id; null when there is no such channel. Throws
 * QuotaExceededError.
 */
export function sendTestMessage(
  db: Db,
  key: ChannelKey,
  { waitingPerChannel: limit }: { waitingPerChannel: number },
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, key);
    if (channel === null) {
      return null;
    }
    await requireRoomToWait(trx, channel.id, { limit });
    const id = randomUUID();
    const of = { sessionId: null, requestId: null, linkOrigin: null };
    await insertChannelMessage(trx, {
      ...{ id, workspaceId: key.workspaceId, channel, kind: 'test', failure: null },
      ...of,
    });
    return id;
  });
}
