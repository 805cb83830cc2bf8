import * as z from 'zod';
import type { OpenedTools } from '../../contract/session-event.ts';
import type { Db } from '../database.ts';
import { readFirstTools } from '../grants/first-tools.ts';
import { signsInToEntry } from '../grants/fitting-grant.ts';
import { readRows } from '../read-rows.ts';

const gatesOfAttached = `
  from agent_mcp_attachments t
  join mcp_servers s on s.id = t.mcp_server_id
  join mcp_server_tools gate on gate.mcp_server_id = s.id
  where t.agent_id = ? and gate.scope = any(?)`;

/** `withoutSignIn`: only of servers that nobody signs in to. */
export interface AttachedOptions {
  withoutSignIn: boolean;
}

const gates = ({ withoutSignIn }: AttachedOptions) =>
  withoutSignIn ? `${gatesOfAttached} and not ${signsInToEntry('s')}` : gatesOfAttached;

/** Returns those of the scopes that the agent's attached servers gate on in the current catalog. */
export async function scopesOfAttached(
  db: Db,
  agentId: string,
  scopes: readonly string[],
  options: AttachedOptions = { withoutSignIn: false },
): Promise<string[]> {
  const statement = db.raw(`select distinct gate.scope ${gates(options)}`, [agentId, [...scopes]]);
  const rows = await readRows(statement, z.object({ scope: z.string() }));
  return rows.map(({ scope }) => scope);
}

/** The tools that each of the scopes opens on the agent's attached servers in the current catalog. */
export function toolsOfAttached(
  db: Db,
  agentId: string,
  scopes: readonly string[],
  options: AttachedOptions = { withoutSignIn: false },
): Promise<Map<string, OpenedTools>> {
  const columns = 'gate.scope as key, s.name as server, gate.tool, s.name as place';
  return readFirstTools(db, db.raw(`select ${columns} ${gates(options)}`, [agentId, [...scopes]]));
}
