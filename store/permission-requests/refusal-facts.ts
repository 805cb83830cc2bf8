/** What the refusal of a permission request depends on, besides whether its session is muted. */
import * as z from 'zod';
import { grantScope, scopeWidth } from '../../contract/grant.ts';
import { uuid } from '../../contract/names.ts';
import type { PermissionRequestInput } from '../../contract/permission-request.ts';
import type { Db } from '../database.ts';
import { onlyRow, readRows } from '../read-rows.ts';
import { withTree } from '../sessions/tree.ts';

/** The workspace's setting; off for one that is closed or deleted. */
export async function allowsRuntimeRequests(db: Db, workspaceId: string): Promise<boolean> {
  const setting = await db('workspaces')
    .where({ id: workspaceId, closed_at: null })
    .first('allow_runtime_permission_requests');
  return setting?.allow_runtime_permission_requests === true;
}

/** Whether the workspace has this agent, and it is not archived. */
export async function hasAgent(db: Db, workspaceId: string, agentId: string): Promise<boolean> {
  const agent = db('agents').where({ id: agentId, workspace_id: workspaceId, archived_at: null });
  return (await agent.first('id')) !== undefined;
}

/** A denial in a tree of sessions. */
export interface RecentDenial {
  sessionId: string;
  reason: string | null;
  /** It was of a narrower scope than what is asked now. */
  isNarrower: boolean;
}

/**
 * A denial of the same request or of a narrower one, of whichever session of the tree, that is not older than
 * this, or null. The session's own is preferred, then the latest.
 */
export async function findRecentDenial(
  db: Db,
  { rootSessionId, sessionId }: { rootSessionId: string; sessionId: string },
  asked: Pick<PermissionRequestInput, 'grant_type' | 'details' | 'scope'>,
  { withinSeconds }: { withinSeconds: number },
): Promise<RecentDenial | null> {
  const statement = db.raw(
    `${withTree}
     select session_id, reason, scope <> :scope as is_narrower from permission_requests
     where session_id in (select id from tree) and status = 'denied'
       and grant_type = :grantType and scope = any(:scopes) and details = :details::jsonb
       and decided_at > now() - make_interval(secs => :withinSeconds)
     order by session_id = :sessionId desc, decided_at desc
     limit 1`,
    {
      rootSessionId,
      sessionId,
      grantType: asked.grant_type,
      scope: asked.scope,
      scopes: grantScope.options.filter((scope) => scopeWidth[scope] <= scopeWidth[asked.scope]),
      details: JSON.stringify(asked.details),
      withinSeconds,
    },
  );
  const [denial] = await readRows(
    statement,
    z.object({ session_id: uuid, reason: z.string().nullable(), is_narrower: z.boolean() }),
  );
  return denial === undefined
    ? null
    : { sessionId: denial.session_id, reason: denial.reason, isNarrower: denial.is_narrower };
}

/** How many requests are open in the tree below a session, its own included. */
export async function countOpenInTree(db: Db, rootSessionId: string): Promise<number> {
  const statement = db.raw(
    `${withTree}
     select count(*) from permission_requests where status = 'open' and session_id in (select id from tree)`,
    { rootSessionId },
  );
  return onlyRow(await readRows(statement, z.object({ count: z.int() }))).count;
}
