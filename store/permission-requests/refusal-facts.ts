/** What the refusal of a permission request depends on, besides whether its session is muted. */
import * as z from 'zod';
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import type { Db } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';

/** The workspace's setting; off for a deleted one. */
export async function allowsRuntimeRequests(db: Db, workspaceId: string): Promise<boolean> {
  const setting = await db('workspaces')
    .where({ id: workspaceId })
    .first('allow_runtime_permission_requests');
  return setting?.allow_runtime_permission_requests === true;
}

/** Whether the workspace has this agent. */
export async function hasAgent(db: Db, workspaceId: string, agentId: string): Promise<boolean> {
  return (await db('agents').where({ id: agentId, workspace_id: workspaceId }).first('id')) !== undefined;
}

/** The session's latest denial of the same request that is not older than this, or null. */
export async function findRecentDenial(
  db: Db,
  sessionId: string,
  asked: PermissionRequestInput,
  { withinSeconds }: { withinSeconds: number },
): Promise<{ reason: string | null } | null> {
  const denial = await db('permission_requests')
    .where({
      session_id: sessionId,
      grant_type: asked.grant_type,
      scope: asked.scope,
      status: 'denied',
    })
    .whereRaw('details = ?::jsonb', [JSON.stringify(asked.details)])
    .whereRaw('decided_at > now() - make_interval(secs => ?)', [withinSeconds])
    .orderBy('decided_at', 'desc')
    .first('reason');
  return denial ?? null;
}

/** How many requests are open in the tree below a session, its own included. */
export async function countOpenInTree(db: Db, rootSessionId: string): Promise<number> {
  const statement = db.raw(
    `with recursive tree as (
       select id from sessions where id = ?
       union all select s.id from sessions s join tree on s.parent_session_id = tree.id
     ) select count(*) from permission_requests where status = 'open' and session_id in (select id from tree)`,
    [rootSessionId],
  );
  return onlyRow(await readRows(statement, z.object({ count: z.int() }))).count;
}
