/** What an agent has attached of the catalog. */
import * as z from 'zod';
import { type Attachment, attachment } from '../../contract/agent.ts';
import { mcpServer } from '../../contract/catalog.ts';
import { uuid } from '../../contract/names.ts';
import type { Db, Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

/** An agent's attachments by name, without paging: the limit per agent bounds them. */
export async function listAttachments(db: Db, agentId: string): Promise<Attachment[]> {
  const query = db('agent_mcp_attachments as t')
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .where('t.agent_id', agentId)
    .orderBy('s.name')
    .select('s.name', 't.env', 't.created_at', 't.updated_at');
  return readRows(query, attachment);
}

const attachedEntry = mcpServer
  .pick({ name: true, shape: true, network: true, egress_allow: true })
  .extend({ agent_id: uuid });
type AttachedEntry = z.infer<typeof attachedEntry>;

/**
 * What decides whether the entries that these agents attach can run, by the entry's name. Throws a ZodError.
 */
export async function listAttachedEntries(db: Db, agentIds: readonly string[]): Promise<AttachedEntry[]> {
  const query = db('agent_mcp_attachments as t')
    .join('mcp_servers as s', 's.id', 't.mcp_server_id')
    .whereIn('t.agent_id', agentIds)
    .orderBy('s.name')
    // Arguments decide nothing here, and are read once for each agent.
    .select('t.agent_id', 's.name', db.raw("s.shape - 'args' as shape"), 's.network', 's.egress_allow');
  return readRows(query, attachedEntry);
}

export interface AttachmentKey {
  agentId: string;
  serverId: string;
}

const storedAttachment = attachment.omit({ name: true });
export type StoredAttachment = z.infer<typeof storedAttachment>;

/** The agent's attachment of this entry, or null. */
export async function readAttachment(
  trx: Transaction,
  { agentId, serverId }: AttachmentKey,
): Promise<StoredAttachment | null> {
  const query = trx('agent_mcp_attachments')
    .where({ agent_id: agentId, mcp_server_id: serverId })
    .first('env', 'created_at', 'updated_at');
  return readRow(query, storedAttachment);
}

/** How many attachments the agent has; counts up to `limit`. */
export async function countAttachments(trx: Transaction, agentId: string, limit: number): Promise<number> {
  const rows = await trx('agent_mcp_attachments')
    .where({ agent_id: agentId })
    .limit(limit)
    .select('agent_id');
  return rows.length;
}

/** Size in bytes of the values in the agent's attachments of other entries. */
export async function sumOtherEnvBytes(
  trx: Transaction,
  { agentId, serverId }: AttachmentKey,
): Promise<number> {
  const query = trx('agent_mcp_attachments')
    .where({ agent_id: agentId })
    .whereNot({ mcp_server_id: serverId })
    .select(trx.raw('coalesce(sum(octet_length(env::text)), 0)::bigint as bytes'));
  return onlyRow(await readRows(query, z.object({ bytes: z.int() }))).bytes;
}

/** Adds the attachment, or replaces its env. */
export async function upsertAttachment(
  trx: Transaction,
  { workspaceId, agentId, serverId }: AttachmentKey & { workspaceId: string },
  env: Record<string, string>,
): Promise<StoredAttachment> {
  const rows = await trx('agent_mcp_attachments')
    .insert({
      workspace_id: workspaceId,
      agent_id: agentId,
      mcp_server_id: serverId,
      env: JSON.stringify(env),
    })
    .onConflict(['agent_id', 'mcp_server_id'])
    .merge({ env: JSON.stringify(env), updated_at: trx.fn.now() })
    .returning(['env', 'created_at', 'updated_at']);
  return storedAttachment.parse(onlyRow(rows));
}

/** Deletes the agent's attachment of the entry of this name, and returns its env; null when there is none. */
export async function deleteAttachment(
  trx: Transaction,
  { workspaceId, agentId, name }: { workspaceId: string; agentId: string; name: string },
): Promise<Record<string, string> | null> {
  const [deleted] = await trx('agent_mcp_attachments')
    .where('agent_id', agentId)
    .whereIn('mcp_server_id', trx('mcp_servers').where({ workspace_id: workspaceId, name }).select('id'))
    .delete()
    .returning('env');
  return deleted === undefined ? null : attachment.shape.env.parse(deleted.env);
}
