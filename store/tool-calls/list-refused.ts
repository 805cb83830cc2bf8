import { z } from 'zod';
import { type RefusedCalls, refusedCalls } from '../../contract/tool-call.ts';
import { type Db, prepared } from '../database.ts';

/** Names of tools are the agent's to make up; a sidecar keeps a few of them apart, and each restart of it as many again. */
const maxRows = 500;

const sumCounts = `
  select data ->> 'name' as server, data ->> 'tool' as tool, data ->> 'outcome' as outcome,
    least(sum((data ->> 'count')::bigint), 9007199254740991)::bigint as count,
    min(at) as first_minute, max(at) as last_minute
  from audit_events where session_id = $1 and event = 'session.mcp.calls_refused'
  group by 1, 2, 3 order by max(at) desc, 1, 2, 3 limit ${maxRows}`;

/** Calls of a session that were refused beyond a limit, by server, tool and outcome; those that were refused last come first. */
export async function listRefusedCalls(db: Db, sessionId: string): Promise<RefusedCalls[]> {
  return z.array(refusedCalls).parse(await prepared(db, 'list_refused_calls', sumCounts, [sessionId]));
}
