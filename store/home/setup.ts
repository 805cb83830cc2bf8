/** How far a workspace is set up, as its first page shows it. */
import * as z from 'zod';
import { homeBounds } from '../../contract/home-bounds.ts';
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

/** Whether there is any of each; of sessions one of the newest that this person may read. */
export async function readSetup(
  db: Db,
  { workspaceId, userId, readableBy }: HomeOf,
): Promise<z.infer<typeof row>> {
  const statement = db.raw(
    `select
       exists (select from mcp_servers where workspace_id = :workspaceId) as server,
       exists (select from mcp_server_tools where workspace_id = :workspaceId) as gate,
       exists (select from agents where workspace_id = :workspaceId and archived_at is null) as agent,
       exists (select from (
         select operator_id, root_operator_id, schedule_maker_id, shared_with_workspace from sessions
         where workspace_id = :workspaceId order by created_at desc limit :newest) as newest
         where :isAdmin or ${readableCondition}) as session,
       exists (select from channels where workspace_id = :workspaceId) as channel,
       (select count(*) from (select from members where workspace_id = :workspaceId limit 2) as two) > 1 as people`,
    { workspaceId, userId, isAdmin: readableBy === undefined, newest: homeBounds.sessions },
  );
  return onlyRow(await readRows(statement, row));
}
