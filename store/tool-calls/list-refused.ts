import { type RefusedCalls, refusedCalls } from '../../contract/tool-call.ts';
import { type Db, prepared } from '../database.ts';
import { readRows } from '../read-rows.ts';

/** Bounded because an agent can invent tool names; a sidecar counts a few of them separately, and as many again after each restart. */
const maxRows = 500;

const sumCounts = `
  select data ->> 'name' as server, data ->> 'tool' as tool, data ->> 'outcome' as outcome,
    least(sum((data ->> 'count')::bigint), 9007199254740991)::bigint as count,
    min(at) as first_minute, max(at) as last_minute
  from audit_events where session_id = $1 and event = 'session.mcp.calls_refused'
  group by 1, 2, 3 order by max(at) desc, 1, 2, 3 limit ${maxRows}`;

/** Calls of a session that were refused beyond a limit, by server, tool and outcome; most recently refused first. */
export async function listRefusedCalls(db: Db, sessionId: string): Promise<RefusedCalls[]> {
  return readRows(prepared(db, 'list_refused_calls', sumCounts, [sessionId]), refusedCalls);
}
