import type { Db } from '../database.ts';

/** Sets whether a session is muted. Returns whose session it is, or null when it was so already or the session has ended. */
export async function updateRequestsMuted(
  db: Db,
  sessionId: string,
  muted: boolean,
): Promise<{ workspaceId: string; agentId: string } | null> {
  const [changed] = await db('sessions')
    .where({ id: sessionId, permission_requests_muted: !muted })
    .whereNull('ended_at')
    .update({ permission_requests_muted: muted })
    .returning(['workspace_id', 'agent_id']);
  return changed === undefined ? null : { workspaceId: changed.workspace_id, agentId: changed.agent_id };
}

/** Whether one of these sessions is muted. */
export async function isAnyMuted(db: Db, sessionIds: readonly string[]): Promise<boolean> {
  const muted = await db('sessions')
    .whereIn('id', sessionIds)
    .where({ permission_requests_muted: true })
    .first('id');
  return muted !== undefined;
}
