import type { Session } from '../../../contract/session.ts';
import type { Db } from '../../../store/database.ts';
import { isSharedWithWorkspace } from '../../../store/sessions/read-session.ts';
import { forbidden } from '../../errors.ts';
import { mayReadSession } from '../../policies/sessions.ts';
import type { InWorkspace } from '../../route.ts';

type Visit = Pick<InWorkspace, 'user' | 'role'> & { session: Session };

export async function canRead(db: Db, { user, role, session }: Visit): Promise<boolean> {
  const visitor = { userId: user.id, role };
  return (
    mayReadSession(visitor, session, false) ||
    mayReadSession(visitor, session, await isSharedWithWorkspace(db, session.id))
  );
}

/** Throws 403 `forbidden` unless the visitor may read the session. */
export async function requireReader(db: Db, visit: Visit): Promise<void> {
  if (!(await canRead(db, visit))) {
    throw forbidden('Only its operator, a workspace admin, or members it is shared with may read a session');
  }
}
