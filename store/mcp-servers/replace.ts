import { isDeepStrictEqual } from 'node:util';
import type { McpServer, McpServerInput } from '../../contract/catalog.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { decidedColumns, type EntryImage } from './register.ts';
import { mcpServerColumns, mcpServerRow, presentMcpServer } from './row.ts';

/**
 * Replaces what an admin decides of the entry and increments its version; null when there is none of that name.
 * Identical content changes nothing and writes no event.
 */
export async function replaceMcpServer(
  db: Db,
  workspaceId: string,
  input: McpServerInput,
  image: EntryImage | null,
  userId: string,
): Promise<McpServer | null> {
  return inTransaction(db, async (trx) => {
    const found = await trx('mcp_servers')
      .where({ workspace_id: workspaceId, name: input.name })
      .forUpdate()
      .first(mcpServerColumns);
    if (found === undefined) {
      return null;
    }
    const before = presentMcpServer(found);
    const wanted = decidedColumns(input, image);
    const changed = Object.keys(wanted).filter(
      (column) => !isDeepStrictEqual(before[column as keyof McpServer], wanted[column]),
    );
    if (changed.length === 0) {
      return before;
    }
    const [row] = await trx('mcp_servers')
      .where({ id: before.id })
      .update({
        ...mcpServerRow(wanted),
        version: before.version + 1,
        updated_at: trx.fn.now(),
        updated_by: userId,
      })
      .returning(mcpServerColumns);
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.updated',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: before.id, name: before.name },
      data: {
        changed,
        version: before.version + 1,
        ...(changed.includes('image_digest')
          ? { image_digest: { old: before.image_digest, new: image?.digest ?? null } }
          : {}),
      },
    });
    return presentMcpServer(row);
  });
}
