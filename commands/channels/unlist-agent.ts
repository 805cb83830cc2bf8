import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { unlistAgent } from '../../store/channels/change.ts';
import { readChannel } from '../../store/channels/read.ts';
import type { Transaction } from '../../store/database.ts';
import { auditOf } from './audit.ts';

/**
 * Takes an agent off the list of every channel, with an event for each. Takes a transaction that locked the agent: an admin who lists it meanwhile
 * waits, and decides about what it is afterwards. Messages that wait fail at their next attempt.
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
