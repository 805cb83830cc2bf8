/** Reads a permission request, and closes it without a human. */

import { closePermissionRequest } from '../../commands/permission-requests/close.ts';
import type { RequestOutcome } from '../../contract/workflows.ts';
import { readPermissionRequest } from '../../store/permission-requests/requests.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { shownOf } from '../workflow-owner.ts';

export interface RequestToWatch {
  sessionId: string;
  workspaceId: string;
  expiresAt: string;
  /** Zero when the request is closed already. */
  remainingMs: number;
  subject: string | null;
  searchAttributesKnown: boolean;
}

/** What the request's workflow has to know. Reads only. A deleted request counts as closed. */
export async function readRequest(
  dependencies: ActivityDependencies,
  { requestId }: { requestId: string },
): Promise<RequestToWatch | null> {
  const { db } = dependencies;
  const request = await readPermissionRequest(db, requestId);
  const session = request === null ? null : await readSession(db, request.session_id);
  if (request === null || session === null) {
    return null;
  }
  const remainingMs = Math.max(0, Date.parse(request.expires_at) - Date.now());
  return {
    sessionId: session.id,
    workspaceId: session.workspace_id,
    expiresAt: request.expires_at,
    remainingMs: request.status === 'open' ? remainingMs : 0,
    ...(await shownOf(dependencies, 'session', session.id)),
  };
}

/**
 * Closes an open request and returns its actual outcome, which may differ when a
 * human was faster. Idempotent.
 */
export async function closeRequest(
  { db }: ActivityDependencies,
  { requestId, status }: { requestId: string; status: 'expired' | 'cancelled' },
): Promise<RequestOutcome> {
  await closePermissionRequest(db, requestId, { status });
  const request = await readPermissionRequest(db, requestId);
  return request === null || request.status === 'open'
    ? { status: 'cancelled', grantId: null }
    : { status: request.status, grantId: request.grant_id };
}
