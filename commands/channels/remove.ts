import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type ChannelKey, deleteChannel, lockChannel } from '../../store/channels/change.ts';
import { type Db, inTransaction } from '../../store/database.ts';

/** Removes a channel; what waits to be delivered to it fails as `channel_removed`. False when there is none of that name. */
export function removeChannel(db: Db, key: ChannelKey, userId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const channel = await lockChannel(trx, key);
    if (channel === null) {
      return false;
    }
    await deleteChannel(trx, channel.id);
    await appendAuditEvent(trx, {
      workspaceId: key.workspaceId,
      event: 'workspace.channel.removed',
      actor: { type: 'user', id: userId },
      resource: { type: 'channel', ...channel },
    });
    return true;
  });
}
