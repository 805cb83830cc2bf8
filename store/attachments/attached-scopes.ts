import { z } from 'zod';
import type { OpenedTool } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';

const row = z.object({ scope: z.string(), server: z.string(), tool: z.string() });

/** Every scope that the agent's attached servers gate on, as the catalog has them now, with the tools that it opens. */
export async function scopesOfAttached(db: Db, agentId: string): Promise<Map<string, OpenedTool[]>> {
  const { rows } = await db.raw(
    `select gate.value as scope, s.name as server, gate.key as tool
     from agent_mcp_attachments t
     join mcp_servers s on s.id = t.mcp_server_id
     cross join jsonb_each_text(s.manifest -> 'tool_scopes') as gate
     where t.agent_id = ?
     order by s.name, gate.key`,
    [agentId],
  );
  const tools = new Map<string, OpenedTool[]>();
  for (const { scope, ...opened } of z.array(row).parse(rows)) {
    tools.set(scope, [...(tools.get(scope) ?? []), opened]);
  }
  return tools;
}
