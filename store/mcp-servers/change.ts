import type { McpServer } from '../../contract/catalog.ts';
import type { Transaction } from '../database.ts';
import { foldNames, nameForms } from '../shown-names.ts';
import type { EntryKey } from './lock.ts';
import { mcpServerColumns, mcpServerRow, presentMcpServer } from './row.ts';

/** What an admin decides of an entry, with what was read from its image. */
export type DecidedFields = Omit<
  McpServer,
  'id' | 'name' | 'version' | 'created_at' | 'created_by' | 'updated_at' | 'updated_by'
>;

/** Null when the workspace has an entry of that name, or of one that looks like it. */
export async function insertMcpServer(
  trx: Transaction,
  { workspaceId, name, fields, userId }: EntryKey & { fields: DecidedFields; userId: string },
): Promise<McpServer | null> {
  await foldNames(trx, 'mcp_servers', workspaceId);
  const [row] = await trx('mcp_servers')
    .insert({
      ...mcpServerRow(fields),
      workspace_id: workspaceId,
      name,
      ...nameForms(name),
      created_by: userId,
      updated_by: userId,
    })
    .onConflict()
    .ignore()
    .returning(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** Returns the entry as it is then. */
export async function updateMcpServerRow(
  trx: Transaction,
  id: string,
  { version, fields, userId }: { version: number; fields: DecidedFields; userId: string },
): Promise<McpServer> {
  const [row] = await trx('mcp_servers')
    .where({ id })
    .update({ ...mcpServerRow(fields), version, updated_at: trx.fn.now(), updated_by: userId })
    .returning(mcpServerColumns);
  return presentMcpServer(row);
}

/** Deletes an entry that no agent attaches; fails for any other. */
export async function deleteMcpServer(trx: Transaction, id: string): Promise<void> {
  await trx('mcp_servers').where({ id }).delete();
}
