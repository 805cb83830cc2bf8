import type { Db } from '../database.ts';

/** The agent's name, which is also how its sessions are named in the audit trail; empty for an unknown agent. */
export async function agentNameOf(db: Db, agentId: string): Promise<string> {
  const row = await db('agents').where({ id: agentId }).first('name');
  return row?.name ?? '';
}
