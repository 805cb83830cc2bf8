import type { Db } from '../database.ts';

/** The workspace's setting `log_tool_payloads`; off for a deleted one. */
export async function readLogsToolPayloads(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db('workspaces').where({ id: workspaceId }).first('log_tool_payloads');
  return row?.log_tool_payloads ?? false;
}

/** The workspace's setting `keep_refused_calls`; off for a deleted one. */
export async function readKeepsRefusedCalls(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db('workspaces').where({ id: workspaceId }).first('keep_refused_calls');
  return row?.keep_refused_calls ?? false;
}

/** Of the workspace's addresses; empty for a deleted one. */
export async function readWorkspaceSlug(db: Db, workspaceId: string): Promise<string> {
  const row = await db('workspaces').where({ id: workspaceId }).first('slug');
  return row?.slug ?? '';
}
