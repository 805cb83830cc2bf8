import type { McpServer } from '../../contract/catalog.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { insertMcpServer } from '../../store/mcp-servers/change.ts';
import { followEntry } from '../mcp-registrations/follow-entry.ts';
import { requireRoomInWorkspace } from '../quotas/room-in-workspace.ts';
import { decidedFields, type EntrySave } from './decided-fields.ts';

export interface SavedEntry {
  server: McpServer;
  /** Of a remote server: the registration whose workflow has something to do now. */
  registrationId: string | null;
}

/** Adds an entry; null when the name is taken. Throws QuotaExceededError at the workspace's limit. */
export async function registerMcpServer(
  db: Db,
  workspaceId: string,
  { input, image, userId, quota = null, addresses }: EntrySave & { quota?: { limit: number } | null },
): Promise<SavedEntry | null> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await requireRoomInWorkspace(trx, workspaceId, 'mcp_servers', quota);
    }
    const fields = decidedFields(input, image);
    const server = await insertMcpServer(trx, { workspaceId, name: input.name, fields, userId });
    if (server === null) {
      return null;
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.registered',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: server.id, name: server.name },
    });
    return { server, registrationId: await followEntry(trx, server, workspaceId, addresses) };
  });
}
