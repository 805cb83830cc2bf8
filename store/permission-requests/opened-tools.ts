import { z } from 'zod';
import type { OpenedTool } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';

const row = z.object({ request_id: z.string(), server: z.string(), tool: z.string() });

/**
 * The tools that each request's scope opens in the session that asked, from its frozen configuration: facts, not the
 * agent's claim. By request id; a request that opens none is left out.
 */
export async function readOpenedTools(
  db: Db,
  requestIds: readonly string[],
): Promise<Map<string, OpenedTool[]>> {
  const { rows } = await db.raw(
    `select r.id as request_id, server ->> 'name' as server, gate.key as tool
     from permission_requests r
     join session_configurations frozen on frozen.session_id = r.session_id
     cross join jsonb_array_elements(frozen.configuration -> 'servers') with ordinality as servers(server, at)
     cross join jsonb_each_text(server -> 'tool_scopes') as gate
     where r.id = any(?) and r.grant_type = 'tool_scope' and gate.value = r.details ->> 'scope'
     order by servers.at, gate.key`,
    [[...requestIds]],
  );
  const tools = new Map<string, OpenedTool[]>();
  for (const { request_id: id, server, tool } of z.array(row).parse(rows)) {
    tools.set(id, [...(tools.get(id) ?? []), { server, tool }]);
  }
  return tools;
}
