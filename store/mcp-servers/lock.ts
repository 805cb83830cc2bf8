/** Catalog entries, locked until the transaction ends; null where the workspace has none of that name. */
import type { McpServer } from '../../contract/catalog.ts';
import type { Transaction } from '../database.ts';
import { mcpServerColumns, presentMcpServer } from './row.ts';

export interface EntryKey {
  workspaceId: string;
  name: string;
}

/** No other transaction can use, change or remove the entry. */
export async function lockMcpServerForChange(trx: Transaction, key: EntryKey): Promise<McpServer | null> {
  const row: unknown = await entry(trx, key).forUpdate().first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** The entry cannot be changed or removed; other transactions can use it, too. */
export async function lockMcpServerForUse(trx: Transaction, key: EntryKey): Promise<McpServer | null> {
  const row: unknown = await entry(trx, key).forShare().first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** Locks like `lockMcpServerForChange`, but returns the id only: an entry that does not fit the contract can be removed. */
export async function lockMcpServerForRemoval(trx: Transaction, key: EntryKey): Promise<string | null> {
  const row = await entry(trx, key).forUpdate().first('id');
  return row?.id ?? null;
}

/** The entry cannot be removed or replaced until the transaction ends. False when it has been removed. */
export async function keepMcpServer(trx: Transaction, id: string): Promise<boolean> {
  const row = await trx('mcp_servers').where({ id }).forKeyShare().first('id');
  return row !== undefined;
}

const entry = (trx: Transaction, { workspaceId, name }: EntryKey) =>
  trx('mcp_servers').where({ workspace_id: workspaceId, name });
