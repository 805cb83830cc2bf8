import * as z from 'zod';
import { attachment } from '../../contract/agent.ts';
import type { Transaction } from '../database.ts';
import { onlyRow, readRow, readRows } from '../read-rows.ts';

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
