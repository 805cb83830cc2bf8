import { emptyManifest, type Manifest, type McpServer, type McpServerInput } from '../../contract/catalog.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { requireRoomInWorkspace } from '../quotas/stored-in-workspace.ts';
import { mcpServerColumns, mcpServerRow, presentMcpServer } from './row.ts';

/** What was read from an entry's image; the manifest is the pasted one where there is one. */
export interface EntryImage {
  digest: string;
  command: string[];
  volumes: string[];
  manifest: Manifest;
  manifestSource: 'image' | 'pasted' | 'none';
}

/** The columns that an admin decides, with those from the image; no manifest without an image or a pasted one. */
export function decidedColumns(input: McpServerInput, image: EntryImage | null): Record<string, unknown> {
  return {
    shape: input.shape,
    manifest: image?.manifest ?? input.manifest ?? emptyManifest,
    manifest_source: image?.manifestSource ?? (input.manifest === undefined ? 'none' : 'pasted'),
    image_digest: image?.digest ?? null,
    image_command: image?.command ?? null,
    image_volumes: image?.volumes ?? null,
    network: input.network,
    egress_allow: input.egress_allow,
    approvers: input.approvers,
    client_features: input.client_features,
  };
}

/** Adds an entry; null when the name is taken. Throws QuotaExceededError at the workspace's limit. */
export async function registerMcpServer(
  db: Db,
  workspaceId: string,
  input: McpServerInput,
  image: EntryImage | null,
  userId: string,
  quota: { limit: number } | null = null,
): Promise<McpServer | null> {
  return inTransaction(db, async (trx) => {
    if (quota !== null) {
      await requireRoomInWorkspace(trx, workspaceId, 'mcp_servers', quota);
    }
    const [row] = await trx('mcp_servers')
      .insert({
        ...mcpServerRow(decidedColumns(input, image)),
        workspace_id: workspaceId,
        name: input.name,
        created_by: userId,
        updated_by: userId,
      })
      .onConflict(['workspace_id', 'name'])
      .ignore()
      .returning(mcpServerColumns);
    if (row === undefined) {
      return null;
    }
    const server = presentMcpServer(row);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.registered',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: server.id, name: server.name },
    });
    return server;
  });
}
