import { emptyManifest, type McpServer, type McpServerInput } from '../../contract/catalog.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { mcpServerColumns, mcpServerRow, presentMcpServer } from './row.ts';

/** The columns that an admin decides. Without a pasted manifest there is none until one is read from the image. */
export function decidedColumns(input: McpServerInput): Record<string, unknown> {
  return {
    shape: input.shape,
    manifest: input.manifest ?? emptyManifest,
    manifest_source: input.manifest === undefined ? 'none' : 'pasted',
    network: input.network,
    egress_allow: input.egress_allow,
    approvers: input.approvers,
    client_features: input.client_features,
  };
}

/** Adds an entry; null when the name is taken. */
export async function registerMcpServer(
  db: Db,
  workspaceId: string,
  input: McpServerInput,
  userId: string,
): Promise<McpServer | null> {
  return inTransaction(db, async (trx) => {
    const [row] = await trx('mcp_servers')
      .insert({
        ...mcpServerRow(decidedColumns(input)),
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
