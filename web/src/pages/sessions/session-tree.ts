/** Sessions below a session, as a tree. Pure. */
import type { Session } from '../../api/types.ts';
import { hasEnded } from './status-text.ts';

export interface SessionNode {
  session: Session;
  children: SessionNode[];
}

/**
 * Children oldest first. A session whose parent is not among them (yet) stands at the
 * top, so that none is lost.
 */
export function sessionTree(rootId: string, sessions: readonly Session[]): SessionNode[] {
  const known = new Set(sessions.map(({ id }) => id));
  const childrenOf = (parent: string): SessionNode[] =>
    sessions
      .filter(({ parent_session_id: of }) => (of !== null && known.has(of) ? of : rootId) === parent)
      .toSorted((left, right) => Date.parse(left.created_at) - Date.parse(right.created_at))
      .map((session) => ({ session, children: childrenOf(session.id) }));
  return childrenOf(rootId);
}

type InTree = Pick<Session, 'id' | 'parent_session_id' | 'status'>;

/** How many sessions below this one have not ended: its end is theirs. */
export function countRunningBelow(id: string, sessions: readonly InTree[]): number {
  return sessions
    .filter(({ parent_session_id: parent }) => parent === id)
    .reduce(
      (count, child) => count + (hasEnded(child.status) ? 0 : 1) + countRunningBelow(child.id, sessions),
      0,
    );
}

export interface RunningBelow {
  /** Sessions below one that have not ended. */
  count: number;
  /** Whether there may be more of them. */
  isPart: boolean;
}

/** What the end of a session means for those below it. */
export function endsTooText({ count, isPart }: RunningBelow): string {
  return count === 1 && !isPart
    ? 'The 1 running session that it started ends, too.'
    : `The ${isPart ? `${count} or more` : count} running sessions below it end, too.`;
}

type Waiting = Pick<Session, 'waiting_for' | 'operator' | 'root_operator'>;

/**
 * Whom a session waits for; null when for nobody. A request of a session that nobody drives goes to the
 * person at the top of its tree.
 */
export function awaitedPerson(
  { waiting_for: wait, operator, root_operator: root }: Waiting,
  userId: string,
): string | null {
  if (wait === null) {
    return null;
  }
  const person = operator ?? (wait === 'approval' ? root : null);
  if (person === null) {
    return wait === 'approval' ? 'a workspace admin or the owner of its agent' : null;
  }
  return person.id === userId ? 'you' : person.name;
}
