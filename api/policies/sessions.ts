/** Who may read, drive and end a session (docs/sessions.md#people). */
import type { Session } from '../../contract/session.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Refusal } from './refusal.ts';

export interface SessionVisitor {
  userId: string;
  role: WorkspaceRole;
}

interface Asking {
  user: { id: string };
  role: WorkspaceRole;
}

type People = Pick<Session, 'operator_id' | 'root_operator_id'>;
/**
 * Those who read a session and end it: also who made the schedule that started it, and
 * decides nothing by that.
 */
export type SessionKeepers = People & Pick<Session, 'schedule_maker_id'>;

/** The operator of the session, or of the root of its tree. */
export function isOwnSession({ userId }: { userId: string }, session: People): boolean {
  return session.operator_id === userId || session.root_operator_id === userId;
}

/** One's own session, or one that one's schedule started. */
export function keepsSession({ userId }: { userId: string }, session: SessionKeepers): boolean {
  return isOwnSession({ userId }, session) || session.schedule_maker_id === userId;
}

export function whyNotReadSession(
  visitor: SessionVisitor,
  session: SessionKeepers,
  isShared: boolean,
): Refusal {
  return visitor.role === 'admin' || isShared || keepsSession(visitor, session)
    ? null
    : 'Only its operator, the maker of its schedule, a workspace admin, or members it is shared with may read a session';
}

/** As `whyNotReadSession`, of what a list shows beside the session. */
export const mayReadSession = (
  { user, role }: Asking,
  session: SessionKeepers & { isShared: boolean },
): boolean => whyNotReadSession({ userId: user.id, role }, session, session.isShared) === null;

/**
 * Who may not read a session decides nothing in it: whom an agent belongs to reads no session of it for that.
 */
export const whyNotDecideIn = (
  visitor: SessionVisitor,
  session: SessionKeepers & { isShared: boolean },
): Refusal =>
  whyNotReadSession(visitor, session, session.isShared) === null
    ? null
    : 'Only those who may read a session decide what happens in it';

/**
 * Of whose sessions lists show the visitor those, and those that are shared; undefined for
 * an admin, who may see all.
 */
export const readableBy = ({ role, user }: Asking): string | undefined =>
  role === 'admin' ? undefined : user.id;

/** Of sessions of one tree, those that the visitor may read. */
export function readableMembers<Member extends SessionKeepers & { isShared: boolean }>(
  asking: Asking,
  members: readonly Member[],
): Member[] {
  return members.filter((member) => mayReadSession(asking, member));
}

/** Admins are refused too: they must not speak in somebody else's name. */
export function whyNotMessageSession({ userId }: { userId: string }, session: People): Refusal {
  return session.operator_id === userId ? null : 'Only the operator of a session may send it messages';
}

/** A muted session's permission requests reach nobody; all who read a session see its title. */
export function whyNotChangeSession(visitor: SessionVisitor, session: People): Refusal {
  return visitor.role === 'admin' || isOwnSession(visitor, session)
    ? null
    : 'Only the operator of a session or a workspace admin may mute or rename it, or ask for its patch';
}

export function whyNotEndSession(visitor: SessionVisitor, session: SessionKeepers): Refusal {
  return visitor.role === 'admin' || keepsSession(visitor, session)
    ? null
    : 'Only its operator, the maker of its schedule or a workspace admin may end a session';
}
