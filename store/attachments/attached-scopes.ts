import { z } from 'zod';
import type { OpenedTools } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { readFirstTools } from '../grants/first-tools.ts';

const gatesOfAttached = `
  from agent_mcp_attachments t
  join mcp_servers s on s.id = t.mcp_server_id
  cross join jsonb_each_text(s.manifest -> 'tool_scopes') as gate
  where t.agent_id = ? and gate.value = any(?)`;

/** Returns those of the scopes that the agent's attached servers gate on in the current catalog. */
export async function scopesOfAttached(
  db: Db,
  agentId: string,
  scopes: readonly string[],
): Promise<string[]> {
  const { rows } = await db.raw(`select distinct gate.value as scope ${gatesOfAttached}`, [
    agentId,
    [...scopes],
  ]);
  const found = z.array(z.object({ scope: z.string() })).parse(rows);
  return found.map(({ scope }) => scope);
}

/** The tools that each of the scopes opens on the agent's attached servers in the current catalog. */
export function toolsOfAttached(
  db: Db,
  agentId: string,
  scopes: readonly string[],
): Promise<Map<string, OpenedTools>> {
  const columns = 'gate.value as key, s.name as server, gate.key as tool, s.name as place';
  return readFirstTools(db, db.raw(`select ${columns} ${gatesOfAttached}`, [agentId, [...scopes]]));
}
