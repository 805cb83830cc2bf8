import { countWaiting, insertChannelMessage } from '../../store/channel-messages/messages.ts';
import { lockAnnouncingChannels } from '../../store/channels/change.ts';
import type { Transaction } from '../../store/database.ts';
import { derivedId } from '../../store/session-events/derived-id.ts';

export interface AnnouncingOptions {
  /** Messages that may wait for one channel. */
  waitingPerChannel: number;
  /** Where people reach the web UI; null when that is unknown. */
  linkOrigin: string | null;
}

/**
 * Has each channel of the workspace that announces permission requests announce this one, once. Where too many messages wait, the
 * announcement fails at once: nobody's request is refused for it.
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
