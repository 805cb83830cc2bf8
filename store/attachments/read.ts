/** Reading the MCP attachments of an agent. */
import { type Attachment, attachment } from '../../contract/agent.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** An agent's attachments by name, without paging: the limit per agent bounds them. */
export async function listAttachments(db: Db, agentId: string): Promise<Attachment[]> {
  const query = db('agent_mcp_attachments as t')
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .where('t.agent_id', agentId)
    .orderBy('s.name')
    .select('s.name', 't.env', 't.created_at', 't.updated_at');
  return readRows(query, attachment);
}
