import type { Db } from '../database.ts';

/** The workspace's setting `log_tool_payloads`; off for a deleted one. */
export async function readLogsToolPayloads(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db('workspaces').where({ id: workspaceId }).first('log_tool_payloads');
  return row?.log_tool_payloads ?? false;
}
