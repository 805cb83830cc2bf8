/** A person becomes a member, changes their role, and leaves with all that ends with it. */
import { operatorLeftSentence } from '../../contract/sentences.ts';
import type { Actor } from '../../contract/session-event.ts';
import type { Member, MemberSource, WorkspaceRole } from '../../contract/workspace.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import { deleteMember, isLastAdmin, readMember, upsertMember } from '../../store/members/members.ts';
import { listConnectionsIn } from '../../store/oauth-connections/read.ts';
import { listUnfinishedSessionsOfUser } from '../../store/sessions/list.ts';
import { requestEnding } from '../../store/sessions/sessions.ts';
import { lockTree } from '../../store/sessions/tree.ts';
import { readUser } from '../../store/users/users.ts';
import { revokeGrantsOfUserInWorkspace } from '../grants/revoke.ts';
import { endSignIn } from '../oauth-connections/connections.ts';
import { pauseSchedulesOf } from '../schedules/pause.ts';

type PutMember =
  | { result: 'done'; member: Member }
  | { result: 'unknown_user' | 'last_admin' | 'own_by_rule' };

interface NewMember {
  workspaceId: string;
  userId: string;
  role: WorkspaceRole;
  by: Actor;
  /** What the membership comes from: what a person puts is theirs from then on, and no rule's. */
  madeBy?: MemberSource;
  /** Added to the audit event. */
  data?: Record<string, unknown>;
}

/**
 * Adds a user to the workspace or changes their role. Where nothing changes, no event is written. Nobody
 * takes over what a rule made of themselves: they would keep it whatever groups they have.
 */
export async function putMember(
  db: Db,
  { workspaceId, userId, role, by, madeBy = 'person', data = {} }: NewMember,
): Promise<PutMember> {
  return inTransaction(db, async (trx) => {
    const lastAdmin = await isLastAdmin(trx, workspaceId, userId);
    const user = await readUser(trx, userId);
    if (user === null) {
      return { result: 'unknown_user' };
    }
    const before = await readMember(trx, workspaceId, userId);
    if (before?.role === role && before.made_by === madeBy) {
      return { result: 'done', member: before };
    }
    if (before?.made_by === 'rule' && by.type === 'user' && by.id === userId) {
      return { result: 'own_by_rule' };
    }
    if (lastAdmin && role !== 'admin') {
      return { result: 'last_admin' };
    }
    const addedAt = await upsertMember(trx, { workspaceId, userId }, { role, made_by: madeBy });
    await appendAuditEvent(trx, {
      workspaceId,
      event: before === null ? 'workspace.member.added' : 'workspace.member.role_changed',
      actor: by,
      resource: { type: 'user', id: user.id, name: user.email },
      data: {
        ...(before === null ? {} : { from: before.role }),
        role,
        ...(before !== null && before.made_by !== madeBy ? { made_by: madeBy } : {}),
        ...data,
      },
    });
    return { result: 'done', member: { user, role, made_by: madeBy, added_at: addedAt } };
  });
}

/**
 * `endedSessionIds` have a recorded ending, and `pausedScheduleIds` are paused; Temporal still has to be
 * notified of both.
 */
type RemoveMember =
  | { result: 'done'; endedSessionIds: string[]; pausedScheduleIds: string[] }
  | { result: 'not_found' | 'last_admin' };

/**
 * Removes a member, revokes the grants they hold, pauses their schedules and asks their sessions to end, in
 * one transaction. Repeated while their sessions still run, it returns those sessions again, so that an
 * interrupted removal can be finished.
 */
export async function removeMember(
  db: Db,
  {
    workspaceId,
    userId,
    by,
    data = {},
  }: { workspaceId: string; userId: string; by: Actor; data?: Record<string, unknown> },
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
    // After the trees: a start of a child locks its tree and then its agent, and the removal
    // of an agent its schedules.
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
      data: { role: member.role, ...data },
    });
    return { result: 'done', endedSessionIds: sessionIds, pausedScheduleIds };
  });
}
