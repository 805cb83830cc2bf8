import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelSettings } from '../../contract/channel.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import {
  type ChannelKey,
  lockChannel,
  replaceListedAgents,
  updateChannel,
} from '../../store/channels/change.ts';
import { readChannel } from '../../store/channels/read.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { auditOf } from './audit.ts';
import type { SavedChannel } from './create.ts';
import { channelProblems } from './problems.ts';

/**
 * Replaces what an admin decides of a channel. Messages that wait are judged by it at their next attempt. Identical settings change nothing
 * and write no event.
 */
export function changeChannel(
  db: Db,
  key: ChannelKey,
  settings: ChannelSettings,
  userId: string,
): Promise<SavedChannel> {
  const { workspaceId, name } = key;
  return inTransaction(db, async (trx) => {
    const locked = await lockChannel(trx, key);
    const before = locked && (await readChannel(trx, workspaceId, name));
    if (before === null) {
      return { result: 'conflict' };
    }
    if (isDeepStrictEqual(settingsOf(before), settings)) {
      return { result: 'saved', channel: before };
    }
    const problems = await channelProblems(trx, workspaceId, settings);
    if (problems.length > 0) {
      return { result: 'refused', problems };
    }
    await updateChannel(trx, before.id, settings, userId);
    await replaceListedAgents(trx, { workspaceId, channelId: before.id }, settings.agents);
    const channel = await readChannel(trx, workspaceId, name);
    if (channel === null) {
      throw new Error(`channel ${before.id} was not stored`);
    }
    await appendAuditEvent(trx, auditOf('workspace.channel.updated', { workspaceId, userId, channel }));
    return { result: 'saved', channel };
  });
}

const settingsOf = ({ kind, address, announce_permission_requests, agents }: Channel): ChannelSettings => ({
  ...{ kind, address, announce_permission_requests },
  agents: agents.map(({ id }) => id).sort(),
});
