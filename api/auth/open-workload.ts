/**
 * What an internal token is of: a session, or by its id a check of a catalog entry or a
 * preview that shows a service.
 */
import { isTerminal } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { readCheck } from '../../store/mcp-checks/checks.ts';
import { readService } from '../../store/previews/services.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import { ApiError } from '../errors.ts';
import type { ContextByScope } from '../route.ts';

/** The session or check; null when it is neither. Throws 401 for one that has ended. */
export async function openWorkload(
  db: Db,
  id: string,
): Promise<ContextByScope['workload']['workload'] | null> {
  const session = await readSession(db, id);
  if (session !== null) {
    refuseEnded(isTerminal(session.status));
    return { kind: 'session', session };
  }
  const check = await readCheck(db, id);
  refuseEnded(check !== null && check.ended_at !== null);
  return check && { kind: 'check', check };
}

/** The same, or the preview whose service runs. */
export async function openGateway(db: Db, id: string): Promise<ContextByScope['gateway']['workload'] | null> {
  const workload = await openWorkload(db, id);
  if (workload !== null) {
    return workload;
  }
  const service = await readService(db, id);
  refuseEnded(service?.hasEnded === true);
  return service && { kind: 'service', previewId: id };
}

/** The token is derived and cannot be revoked: it ends when its session, check or service ends. */
export function refuseEnded(hasEnded: boolean): void {
  if (hasEnded) {
    throw new ApiError('unauthenticated', 'The session has ended');
  }
}
