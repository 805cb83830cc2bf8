/** The tool calls of one session, as its readers may see them: never arguments or results. */
import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import { type ToolCall, toolCall } from '../../contract/tool-call.ts';
import type { Db } from '../database.ts';
import { decodeCursor } from '../page-cursor.ts';
import { readPage } from '../read-page.ts';

const row = z.object({
  id: z.string(),
  position: z.int(),
  at: z.string(),
  data: z.record(z.string(), z.unknown()),
});

/** One page, most recently recorded first. Throws InvalidCursorError. */
export async function listToolCalls(db: Db, sessionId: string, page: PageQuery): Promise<Page<ToolCall>> {
  const before = decodeCursor(page.cursor, z.int());
  const query = db('audit_events')
    .where({ session_id: sessionId, event: 'session.mcp.tool_called' })
    .orderBy('position', 'desc');
  if (before !== null) {
    query.where('position', '<', before);
  }
  const { rows, nextCursor } = await readPage(db, query, row, page.limit, ({ position }) => position);
  return { items: rows.map(present), nextCursor };
}

const present = ({ id, at, data }: z.infer<typeof row>): ToolCall =>
  toolCall.parse({
    id,
    at,
    server: data['name'],
    tool: data['tool'],
    duration_ms: data['duration_ms'],
    outcome: data['outcome'],
    reason: data['reason'] ?? null,
    granted_via: data['granted_via'],
  });
