import { randomUUID } from 'node:crypto';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../audit-events/append.ts';
import { type Db, inTransaction } from '../database.ts';
import { appendSessionEvent } from '../session-events/append.ts';
import { agentNameOf } from './agent-name.ts';
import { lockTree } from './lock-tree.ts';

const notices = {
  muted: 'Permission requests of this session are refused at once, until its operator takes them again.',
  unmuted: 'Permission requests of this session are taken again.',
} as const;

/**
 * Mutes or unmutes a session's permission requests, with an event and an audit event. No change and no
 * events if already so, or if the session has ended. Open requests stay open.
 */
export function setRequestsMuted(
  db: Db,
  sessionId: string,
  { muted, by }: { muted: boolean; by: Actor },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockTree(trx, sessionId);
    const [changed] = await trx('sessions')
      .where({ id: sessionId, permission_requests_muted: !muted })
      .whereNull('ended_at')
      .update({ permission_requests_muted: muted })
      .returning(['workspace_id', 'agent_id']);
    if (changed === undefined) {
      return;
    }
    const what = muted ? 'muted' : 'unmuted';
    await appendSessionEvent(trx, sessionId, {
      id: randomUUID(),
      type: 'platform.notice',
      actor: by,
      payload: { code: `permission_requests_${what}`, message: notices[what] },
    });
    await appendAuditEvent(trx, {
      workspaceId: changed.workspace_id,
      event: `session.${what}`,
      actor: by,
      resource: { type: 'session', id: sessionId, name: await agentNameOf(trx, changed.agent_id) },
      sessionId,
    });
  });
}

/** Whether one of these sessions is muted. */
export async function isAnyMuted(db: Db, sessionIds: readonly string[]): Promise<boolean> {
  const muted = await db('sessions')
    .whereIn('id', sessionIds)
    .where({ permission_requests_muted: true })
    .first('id');
  return muted !== undefined;
}
