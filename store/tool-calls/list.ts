/** A session's calls, as its readers may see them, and apart from them what was kept of one. */
import * as z from 'zod';
import type { Page, PageQuery } from '../../contract/page.ts';
import {
  type KeptPayloads,
  keptPayloads,
  type RefusedCalls,
  refusedCalls,
  type ToolCall,
  toolCall,
} from '../../contract/tool-call.ts';
import { type Db, prepared } from '../database.ts';
import { decodeCursor, readPage } from '../page.ts';
import { readRows } from '../read-rows.ts';

export const toolCallRow = z.object({
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
  const { rows, nextCursor } = await readPage(db, query, toolCallRow, page.limit, ({ position }) => position);
  return { items: rows.map(presentToolCall), nextCursor };
}

export const presentToolCall = ({ id, at, data }: z.infer<typeof toolCallRow>): ToolCall =>
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

/** Arguments and result of a call, as far as they were kept; null for one that the session did not make. */
export async function readPayloads(
  db: Db,
  { sessionId, callId }: { sessionId: string; callId: string },
): Promise<KeptPayloads | null> {
  const [found] = await readRows(
    db('audit_events')
      .where({ session_id: sessionId, event: 'session.mcp.tool_called', id: callId })
      .select('data'),
    toolCallRow.pick({ data: true }),
  );
  return found === undefined
    ? null
    : keptPayloads.parse({
        arguments: found.data['arguments'] ?? null,
        result: found.data['result'] ?? null,
      });
}

/**
 * Bounded because an agent can invent tool names; a sidecar counts a few of them separately, and as many
 * again after each restart.
 */
const maxRows = 500;

const sumCounts = `
  select data ->> 'name' as server, data ->> 'tool' as tool, data ->> 'outcome' as outcome,
    least(sum((data ->> 'count')::bigint), 9007199254740991)::bigint as count,
    min(at) as first_minute, max(at) as last_minute
  from audit_events where session_id = $1 and event = 'session.mcp.calls_refused'
  group by 1, 2, 3 order by max(at) desc, 1, 2, 3 limit ${maxRows}`;

/**
 * Calls of a session that were refused beyond a limit, by server, tool and outcome; most recently refused
 * first.
 */
export async function listRefusedCalls(db: Db, sessionId: string): Promise<RefusedCalls[]> {
  return readRows(prepared(db, 'list_refused_calls', sumCounts, [sessionId]), refusedCalls);
}
