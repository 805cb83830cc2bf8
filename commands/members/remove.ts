import { operatorLeftSentence } from '../../contract/sentences.ts';
import type { Actor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { deleteMember } from '../../store/members/change.ts';
import { isLastAdmin } from '../../store/members/last-admin.ts';
import { readMember } from '../../store/members/list.ts';
import { listConnectionsIn } from '../../store/oauth-connections/read.ts';
import { requestEnding } from '../../store/sessions/ending.ts';
import { listUnfinishedSessionsOfUser } from '../../store/sessions/list-unfinished.ts';
import { lockTree } from '../../store/sessions/lock-tree.ts';
import { revokeGrantsOfUserInWorkspace } from '../grants/revoke.ts';
import { endSignIn } from '../oauth-connections/end.ts';
import { pauseSchedulesOf } from '../schedules/pause.ts';

/** `endedSessionIds` have a recorded ending, and `pausedScheduleIds` are paused; Temporal still has to be notified of both. */
export type RemoveMember =
  | { result: 'done'; endedSessionIds: string[]; pausedScheduleIds: string[] }
  | { result: 'not_found' | 'last_admin' };

/**
 * Removes a member, revokes the grants they hold, pauses their schedules and asks their sessions to end, in one transaction.
 * Repeated while their sessions still run, it returns those sessions again, so that an interrupted removal can be finished.
 */
export async function removeMember(
  db: Db,
  { workspaceId, userId, by }: { workspaceId: string; userId: string; by: Actor },
): Promise<RemoveMember> {
  return inTransaction(db, async (trx) => {
    const lastAdmin = await isLastAdmin(trx, workspaceId, userId);
    const member = await readMember(trx, workspaceId, userId);
    if (member !== null && lastAdmin) {
      return { result: 'last_admin' };
    }
    // The membership goes first: once it is deleted, what transactions that held it wrote is found below.
    await deleteMember(trx, { workspaceId, userId });
    const sessionIds = await listUnfinishedSessionsOfUser(trx, { workspaceId, userId });
    if (member === null) {
      return sessionIds.length === 0
        ? { result: 'not_found' }
        : { result: 'done', endedSessionIds: sessionIds, pausedScheduleIds: [] };
    }
    await revokeGrantsOfUserInWorkspace(trx, { workspaceId, userId, by });
    for (const connection of await listConnectionsIn(trx, { workspaceId, userId })) {
      await endSignIn(trx, connection, 'left', { by });
    }
    for (const sessionId of sessionIds) {
      // Several of them may be of one tree, whose writers take its lock first.
      await lockTree(trx, sessionId);
      const reason = operatorLeftSentence;
      await requestEnding(trx, sessionId, { by, status: 'terminated', reason, summary: null });
    }
    // After the trees: a start of a child locks its tree and then its agent, and the removal of an agent its schedules.
    const pausedScheduleIds = await pauseSchedulesOf(
      trx,
      { workspaceId, makerId: userId },
      { reason: 'maker_left', by },
    );
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.member.removed',
      actor: by,
      resource: { type: 'user', id: member.user.id, name: member.user.email },
      data: { role: member.role },
    });
    return { result: 'done', endedSessionIds: sessionIds, pausedScheduleIds };
  });
}
