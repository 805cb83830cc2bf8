import { announceOutcome } from '../../commands/oauth-authorizations/announce-outcome.ts';
import type { AuthorizationStatus } from '../../contract/authorization.ts';
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import { expireAuthorization } from '../../store/oauth-authorizations/change.ts';
import { readAuthorization } from '../../store/oauth-authorizations/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Ids, numbers and the entry's name: nothing of the sign-in itself. */
export interface AuthorizationState {
  status: AuthorizationStatus;
  server: string;
  remainingMs: number;
  workspaceId: string;
  sessionId: string | null;
  searchAttributesKnown: boolean;
}

/**
 * Where an authorization stands; one whose time is over is closed, and an outcome is told in the session's events. Null when it is gone with its
 * workspace, session or entry. Idempotent.
 */
export async function checkAuthorization(
  { db, searchAttributesKnown }: ActivityDependencies,
  { authorizationId }: { authorizationId: string },
): Promise<AuthorizationState | null> {
  await expireAuthorization(db, authorizationId);
  const authorization = await readAuthorization(db, authorizationId);
  const registration = authorization && (await readRegistration(db, authorization.registration_id));
  if (authorization === null || registration === null) {
    return null;
  }
  const { status, workspace_id: workspaceId, session_id: sessionId } = authorization;
  const server = registration.entry_name;
  await announceOutcome(db, authorization, server);
  // A worker's own clock may be ahead: it would look, and find nothing, without a pause.
  const remainingMs = authorization.remaining_ms;
  return { status, server, remainingMs, workspaceId, sessionId, searchAttributesKnown };
}
