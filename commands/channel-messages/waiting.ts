import { countWaiting } from '../../store/channel-messages/messages.ts';
import type { Transaction } from '../../store/database.ts';
import { QuotaExceededError } from '../../store/quotas/quota-exceeded.ts';

/** Throws QuotaExceededError when as many messages wait for the channel, which is locked, as may wait. */
export async function requireRoomToWait(
  trx: Transaction,
  channelId: string,
  { limit }: { limit: number },
): Promise<void> {
  if ((await countWaiting(trx, { channelId, isAnnouncement: false }, limit)) >= limit) {
    throw new QuotaExceededError(limit, 'messages that wait for one channel; try again later');
  }
}
