/** Reading the MCP attachments of an agent. */
import type { Attachment } from '../../contract/agent.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { Db } from '../database.ts';
import { mcpServerColumns, presentMcpServer } from '../mcp-servers/row.ts';

/** An agent's attachments by name: at most as many as the limit per agent, so in one piece. */
export async function listAttachments(db: Db, agentId: string): Promise<Attachment[]> {
  return db('agent_mcp_attachments as t')
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .where('t.agent_id', agentId)
    .orderBy('s.name')
    .select('s.name', 't.env', 't.created_at', 't.updated_at');
}

export interface AttachedServer {
  server: McpServer;
  env: Record<string, string>;
}

/** An agent's attachments with their catalog entries as they are now: what a session freezes. */
export async function readAttachedServers(db: Db, agentId: string): Promise<AttachedServer[]> {
  const rows: ({ attachment_env: Record<string, string> } & Record<string, unknown>)[] = await db(
    'agent_mcp_attachments as t',
  )
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .where('t.agent_id', agentId)
    .orderBy('s.name')
    .select([...mcpServerColumns.map((column) => `s.${column}`), 't.env as attachment_env']);
  return rows.map(({ attachment_env: env, ...server }) => ({ server: presentMcpServer(server), env }));
}
