/** A channel is created, changed and removed by an admin. */
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelInput, ChannelSettings } from '../../contract/channel.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { referencedSecretName } from '../../contract/names.ts';
import { platformSecretRefusal } from '../../contract/secret-use.ts';
import { keepAgents } from '../../store/agents/agents.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import {
  type ChannelKey,
  deleteChannel,
  insertChannel,
  lockChannel,
  readChannel,
  replaceListedAgents,
  updateChannel,
} from '../../store/channels/channels.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { agentArchivedProblem } from '../agents/archive.ts';
import { requireRoomInWorkspace } from '../quotas/quotas.ts';
import { auditOf } from './unlist-agent.ts';

/**
 * Secrets that are not set or not for channels, and agents that are not of the workspace. Those that are stay
 * until the transaction ends.
 */
async function channelProblems(
  trx: Transaction,
  workspaceId: string,
  { address, agents }: ChannelSettings,
): Promise<FieldProblem[]> {
  const name = referencedSecretName(address) ?? '';
  const known = await readKnownSecrets(trx, workspaceId, [name]);
  const refusal = platformSecretRefusal(name, known.get(name));
  const ofWorkspace = await keepAgents(trx, workspaceId, agents);
  // An archived agent was taken off every list, so that one which is listed is new on it.
  const archived = agents.filter((id) => ofWorkspace.get(id)?.isArchived === true);
  return [
    ...(refusal === null ? [] : [{ path: 'address', ...refusal }]),
    ...agents
      .filter((id) => !ofWorkspace.has(id))
      .map((id) => ({ path: 'agents', code: 'not_found', message: `no agent of this workspace is ${id}` })),
    ...archived.map(() => agentArchivedProblem('agents')),
  ];
}

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

/**
 * Replaces what an admin decides of a channel. Messages that wait are judged by it at their next attempt.
 * Identical settings change nothing and write no event.
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

/**
 * Removes a channel; what waits to be delivered to it fails as `channel_removed`. False when there is none of
 * that name.
 */
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
