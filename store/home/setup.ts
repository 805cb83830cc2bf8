/** How far a workspace is set up, as its first page shows it. */
import * as z from 'zod';
import type { Db } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { readableCondition } from '../sessions/conditions.ts';
import type { HomeOf } from './sessions.ts';

const row = z.object({
  server: z.boolean(),
  gate: z.boolean(),
  agent: z.boolean(),
  session: z.boolean(),
  channel: z.boolean(),
  people: z.boolean(),
});

/** Whether there is any of each; of sessions any that this person may read. */
export async function readSetup(
  db: Db,
  { workspaceId, userId, readableBy }: HomeOf,
): Promise<z.infer<typeof row>> {
  const statement = db.raw(
    `select
       exists (select from mcp_servers where workspace_id = :workspaceId) as server,
       exists (select from mcp_server_tools where workspace_id = :workspaceId) as gate,
       exists (select from agents where workspace_id = :workspaceId and archived_at is null) as agent,
       exists (select from sessions where workspace_id = :workspaceId
         and (:isAdmin or ${readableCondition})) as session,
       exists (select from channels where workspace_id = :workspaceId) as channel,
       (select count(*) from (select from members where workspace_id = :workspaceId limit 2) as two) > 1 as people`,
    { workspaceId, userId, isAdmin: readableBy === undefined },
  );
  return onlyRow(await readRows(statement, row));
}
