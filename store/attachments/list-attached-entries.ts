import type * as z from 'zod';
import { mcpServer } from '../../contract/catalog.ts';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';

const attachedEntry = mcpServer
  .pick({ name: true, shape: true, network: true, egress_allow: true })
  .extend({ agent_id: uuid });
export type AttachedEntry = z.infer<typeof attachedEntry>;

/** What decides whether the entries that these agents attach can run, by the entry's name. Throws a ZodError. */
export async function listAttachedEntries(db: Db, agentIds: readonly string[]): Promise<AttachedEntry[]> {
  const query = db('agent_mcp_attachments as t')
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .whereIn('t.agent_id', agentIds)
    .orderBy('s.name')
    // Arguments decide nothing here, and are read once for each agent.
    .select('t.agent_id', 's.name', db.raw("s.shape - 'args' as shape"), 's.network', 's.egress_allow');
  return readRows(query, attachedEntry);
}
