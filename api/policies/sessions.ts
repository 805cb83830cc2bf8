/** Who may read, drive and end a session (design 4). */
import type { Session } from '../../contract/session.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';

export interface SessionVisitor {
  userId: string;
  role: WorkspaceRole;
}

type People = Pick<Session, 'operator_id' | 'root_operator_id'>;

/** The human at the wheel, or at the top of the tree. */
export function isOwnSession({ userId }: { userId: string }, session: People): boolean {
  return session.operator_id === userId || session.root_operator_id === userId;
}

export function mayReadSession(visitor: SessionVisitor, session: People, shared: boolean): boolean {
  return visitor.role === 'admin' || shared || isOwnSession(visitor, session);
}

/** The operator only: an admin does not speak in somebody else's name. */
export function mayMessageSession({ userId }: { userId: string }, session: People): boolean {
  return session.operator_id === userId;
}

/** Who is at the wheel, or an admin: from then on the session's requests reach nobody. */
export function mayMuteSession(visitor: SessionVisitor, session: People): boolean {
  return visitor.role === 'admin' || isOwnSession(visitor, session);
}

export function mayTerminateSession(visitor: SessionVisitor, session: People): boolean {
  return visitor.role === 'admin' || isOwnSession(visitor, session);
}
