/** Sessions below a session, as a tree. Pure. */
import type { Session } from '../../api/types.ts';

export interface SessionNode {
  session: Session;
  children: SessionNode[];
}

/** Children oldest first. A session whose parent is not among them (yet) stands at the top, so that none is lost. */
export function sessionTree(rootId: string, sessions: readonly Session[]): SessionNode[] {
  const known = new Set(sessions.map(({ id }) => id));
  const childrenOf = (parent: string): SessionNode[] =>
    sessions
      .filter(({ parent_session_id: of }) => (of !== null && known.has(of) ? of : rootId) === parent)
      .toSorted((left, right) => Date.parse(left.created_at) - Date.parse(right.created_at))
      .map((session) => ({ session, children: childrenOf(session.id) }));
  return childrenOf(rootId);
}
