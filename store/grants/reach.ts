/** What a session of an agent would reach through its operator's own grants (design 4). */
import type { Grant } from '../../contract/grant.ts';
import type { OpenedTool } from '../../contract/session-event.ts';
import { scopesOfAttached } from '../attachments/attached-scopes.ts';
import type { Db } from '../database.ts';
import { type GrantRow, grantColumns, presentGrant } from './row.ts';
import { scopesThatNeedAdmin } from './scope-approvers.ts';

export interface Reached {
  grant: Grant;
  /** Tools of the agent's servers that the grant opens, as they are attached now. */
  tools: OpenedTool[];
}

/**
 * The user's active `tool_scope` grants that a new session of the agent could use while that user drives it, newest
 * first. A grant for another session, or bound to a call of one, is not among them, nor a member's for a scope that is
 * kept to admins.
 */
export async function listReach(
  db: Db,
  { workspaceId, agentId, userId }: { workspaceId: string; agentId: string; userId: string },
): Promise<Reached[]> {
  const toolsByScope = await scopesOfAttached(db, agentId);
  if (toolsByScope.size === 0) {
    return [];
  }
  const rows = await db<GrantRow>('grants')
    .where({ workspace_id: workspaceId, user_subject_id: userId, grant_type: 'tool_scope' })
    .whereIn('scope', ['once', 'persistent'])
    .whereNull('revoked_at')
    .whereNull('consumed_at')
    .whereNull('bound_session_id')
    .whereRaw(`details ->> 'scope' = any(?)`, [[...toolsByScope.keys()]])
    .orderBy('granted_at', 'desc')
    .select([...grantColumns]);
  const keptToAdmins = await scopesThatNeedAdmin(db, workspaceId, [...toolsByScope.keys()]);
  return rows
    .flatMap((row) => presentGrant(row) ?? [])
    .filter(
      ({ granted_by_role: role, details }) => role === 'admin' || !keptToAdmins.has(String(details['scope'])),
    )
    .map((grant) => ({ grant, tools: toolsByScope.get(String(grant.details['scope'])) ?? [] }));
}
