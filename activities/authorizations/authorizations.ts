/** A session whose operator has to sign in somewhere: it waits, and says for what and how long. */
import { announceOutcome, openAuthorization } from '../../commands/oauth-authorizations/authorizations.ts';
import { type Binding, isSignedIn, readBinding } from '../../commands/oauth-connections/connections.ts';
import { moveSession } from '../../commands/sessions/move.ts';
import type { AuthorizationStatus } from '../../contract/authorization.ts';
import type { FrozenServer } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { readRegistration } from '../../store/mcp-registrations/registrations.ts';
import { expireAuthorization, readAuthorization } from '../../store/oauth-authorizations/authorizations.ts';
import { readSession } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused, launchRefusedForNow } from '../failures.ts';
import { requireConfiguration } from '../sessions/validate-launch.ts';

/** A sign-in that the launch waits for. */
export interface WaitingFor {
  authorizationId: string;
  server: string;
}

/**
 * Opens an authorization for each server that the operator has no usable sign-in at, and moves the session to
 * `awaiting_authorization` when there is one. Idempotent: pending ones are found again, and those that were
 * made meanwhile are not asked for. Throws `launch_refused`.
 */
export async function openAuthorizations(
  { db, limits }: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<{ waitingFor: WaitingFor[] }> {
  const { servers } = await requireConfiguration(db, sessionId);
  const session = await readSession(db, sessionId);
  const userId = session?.operator_id ?? null;
  if (session === null || userId === null) {
    throw launchRefused('Nobody drives this session who could sign in to its remote servers');
  }
  const needed = await neededSignIns(
    db,
    userId,
    servers.filter(({ sign_in }) => sign_in === 'oauth'),
  );
  if (needed.length > 0) {
    const names = needed.map(({ name }) => `"${name}"`).join(', ');
    await moveSession(db, sessionId, {
      to: 'awaiting_authorization',
      reason: `The operator has to sign in to ${names}`,
    });
  }
  const waitingFor: WaitingFor[] = [];
  for (const { name, binding } of needed) {
    const opened = await openAuthorization(db, session, {
      registrationId: binding.registration.id,
      userId,
      scopes: binding.server.scopes,
      missingScopes: null,
      expirySeconds: limits.SESSION_AUTHORIZATION_SECONDS,
    });
    if (opened.result !== 'opened') {
      throw launchRefused(`"${name}" was removed from the catalog before the session started`);
    }
    waitingFor.push({ authorizationId: opened.id, server: name });
  }
  return { waitingFor };
}

async function neededSignIns(db: Db, userId: string, servers: readonly FrozenServer[]) {
  const needed: { name: string; binding: Binding }[] = [];
  for (const server of servers) {
    const { name } = server;
    const found = await readBinding(db, server);
    if (found.kind !== 'bound') {
      throw found.kind === 'pending'
        ? launchRefusedForNow(`"${name}" is being registered again; start the session once it is ready`)
        : launchRefused(`"${name}" was changed in the catalog before the session started; start it again`);
    }
    const { binding } = found;
    if (!(await isSignedIn(db, userId, binding))) {
      needed.push({ name, binding });
    }
  }
  return needed;
}

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
 * Where an authorization stands; one whose time is over is closed, and an outcome is told in the session's
 * events. Null when it is gone with its workspace, session or entry. Idempotent.
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
