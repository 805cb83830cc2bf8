/** Reading the workspace's MCP catalog. */
import * as z from 'zod';
import type { McpServer } from '../../contract/catalog.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';
import { mcpServerColumns, presentMcpServer } from './row.ts';

/** The entry of this name, or null. */
export async function readMcpServer(db: Db, workspaceId: string, name: string): Promise<McpServer | null> {
  const row = await db('mcp_servers').where({ workspace_id: workspaceId, name }).first(mcpServerColumns);
  return row === undefined ? null : presentMcpServer(row);
}

/** The entries of a workspace by name. Throws InvalidCursorError. */
export async function listMcpServers(db: Db, workspaceId: string, page: PageQuery): Promise<Page<McpServer>> {
  const after = decodeCursor(page.cursor, z.string());
  const query = db('mcp_servers')
    .where({ workspace_id: workspaceId })
    .modify((query) => after !== null && query.where('name', '>', after))
    .orderBy('name')
    .select(mcpServerColumns);
  const entry = { parse: presentMcpServer };
  const { rows, nextCursor } = await readPage(db, query, entry, page.limit, ({ name }) => name);
  return { items: rows, nextCursor };
}
