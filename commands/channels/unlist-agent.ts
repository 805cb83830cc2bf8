/** An agent is taken off the channels that it could post to. */
import type { Channel } from '../../contract/channel.ts';
import { appendAuditEvent, type NewAuditEvent } from '../../store/audit-events/append.ts';
import { readChannel, unlistAgent } from '../../store/channels/channels.ts';
import type { Transaction } from '../../store/database.ts';

/** What an admin decided of a channel: who may post, where to by the secret's name, and what is announced. */
export function auditOf(
  event: 'workspace.channel.created' | 'workspace.channel.updated',
  { workspaceId, userId, channel }: { workspaceId: string; userId: string; channel: Channel },
): NewAuditEvent {
  const { id, name, address, agents, announce_permission_requests } = channel;
  return {
    workspaceId,
    event,
    actor: { type: 'user', id: userId },
    resource: { type: 'channel', id, name },
    data: { address, announce_permission_requests, agents: agents.map((agent) => agent.id) },
  };
}

/**
 * Takes an agent off the list of every channel, with an event for each. Takes a transaction that locked the
 * agent: an admin who lists it meanwhile waits, and decides about what it is afterwards. Messages that wait
 * fail at their next attempt.
 */
export async function unlistFromChannels(
  trx: Transaction,
  { workspaceId, agentId, userId }: { workspaceId: string; agentId: string; userId: string },
): Promise<void> {
  for (const name of await unlistAgent(trx, agentId)) {
    const channel = await readChannel(trx, workspaceId, name);
    if (channel !== null) {
      await appendAuditEvent(trx, auditOf('workspace.channel.updated', { workspaceId, userId, channel }));
    }
  }
}
