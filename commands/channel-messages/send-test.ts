import { randomUUID } from 'node:crypto';
import { insertChannelMessage } from '../../store/channel-messages/messages.ts';
import { type ChannelKey, lockChannel } from '../../store/channels/change.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { requireRoomToWait } from './waiting.ts';

/** Stores a message that says that it is a test. Returns its id; null when there is no such channel. Throws QuotaExceededError. */
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
