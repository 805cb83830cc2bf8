import type { Channel, ChannelInput } from '../../contract/channel.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { insertChannel, replaceListedAgents } from '../../store/channels/change.ts';
import { readChannel } from '../../store/channels/read.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { requireRoomInWorkspace } from '../quotas/room-in-workspace.ts';
import { auditOf } from './audit.ts';
import { channelProblems } from './problems.ts';

export type SavedChannel =
  | { result: 'saved'; channel: Channel }
  | { result: 'refused'; problems: FieldProblem[] }
  /** The name is taken, or there is no channel of that name. */
  | { result: 'conflict' };

/** Throws QuotaExceededError at the workspace's limit. */
export function createChannel(
  db: Db,
  workspaceId: string,
  { name, ...settings }: ChannelInput,
  { userId, limit }: { userId: string; limit: number },
): Promise<SavedChannel> {
  return inTransaction(db, async (trx) => {
    await requireRoomInWorkspace(trx, workspaceId, 'channels', { limit });
    const problems = await channelProblems(trx, workspaceId, settings);
    if (problems.length > 0) {
      return { result: 'refused', problems };
    }
    const channelId = await insertChannel(trx, { workspaceId, name }, settings, userId);
    if (channelId === null) {
      return { result: 'conflict' };
    }
    await replaceListedAgents(trx, { workspaceId, channelId }, settings.agents);
    const channel = await readChannel(trx, workspaceId, name);
    if (channel === null) {
      throw new Error(`channel ${channelId} was not stored`);
    }
    await appendAuditEvent(trx, auditOf('workspace.channel.created', { workspaceId, userId, channel }));
    return { result: 'saved', channel };
  });
}
