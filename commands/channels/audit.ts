import type { Channel } from '../../contract/channel.ts';
import type { NewAuditEvent } from '../../store/audit-events/append.ts';

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
