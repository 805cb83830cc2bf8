/**
 * For whom a bridge asks for access tokens, what an agent is told whose call waits for that person, and how
 * they learn of it.
 */
import { maxStepUps, openAuthorization } from '../../commands/oauth-authorizations/authorizations.ts';
import type { Binding } from '../../commands/oauth-connections/connections.ts';
import type { AccessTokenAnswer } from '../../contract/remote-server.ts';
import type { FrozenServer } from '../../contract/session.ts';
import { widenScopes } from '../../lib/oauth/challenge.ts';
import type { Db } from '../../store/database.ts';
import { readCheckConfiguration } from '../../store/mcp-checks/checks.ts';
import type { ConnectionRow } from '../../store/oauth-connections/read.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { type AuthorizationDependencies, startWaiting } from '../authorizations/waiting.ts';
import type { ContextByScope } from '../route.ts';

/** The operator has no sign-in that can be used: a way to sign in is opened, or the pending one found. */
export function requireSignIn(
  dependencies: AuthorizationDependencies,
  asker: TokenAsker,
  { registration, server }: Binding,
): Promise<AccessTokenAnswer> {
  const needed = { scopes: server.scopes, missingScopes: null };
  const message = signInNeeded(asker.server.name);
  return open(dependencies, asker, registration.id, needed, { asked: message, askedEnough: message });
}

/** The server asked for more than the operator has allowed. */
export async function requireScopes(
  dependencies: AuthorizationDependencies,
  asker: TokenAsker,
  connection: ConnectionRow,
  missing: readonly string[],
): Promise<AccessTokenAnswer> {
  const {
    requested_scopes: requested,
    granted_scopes: granted,
    registration_id: registrationId,
  } = connection;
  const { server } = asker;
  const shown = missing.join(' ').slice(0, 200);
  const scopes = widenScopes(missing, { requested, granted });
  if (scopes === null) {
    return told(
      `"${server.name}" refuses this call although the operator of this session has allowed all that it asks for (${shown}); do not repeat it.`,
    );
  }
  return open(
    dependencies,
    asker,
    registrationId,
    { scopes, missingScopes: missing },
    {
      asked: `"${server.name}" asks for more than the operator of this session has allowed (${shown}). They are asked on the session's page; do not repeat the call until they have allowed it.`,
      askedEnough: `"${server.name}" has asked for more than was allowed ${maxStepUps} times in this session, or for too much at once, and asks again (${shown}); the operator is not asked any more.`,
    },
  );
}

async function open(
  dependencies: AuthorizationDependencies,
  { userId, sessionId, server }: TokenAsker,
  registrationId: string,
  needed: { scopes: readonly string[]; missingScopes: readonly string[] | null },
  messages: { asked: string; askedEnough: string },
): Promise<AccessTokenAnswer> {
  if (userId === null || sessionId === null) {
    return told(signInNeeded(server.name));
  }
  const opened = await openAuthorization(
    dependencies.db,
    { id: sessionId },
    { registrationId, userId, ...needed, expirySeconds: dependencies.config.SESSION_AUTHORIZATION_SECONDS },
  );
  if (opened.result === 'opened') {
    startWaiting(dependencies, opened.id);
  }
  return told(opened.result === 'asked_enough' ? messages.askedEnough : messages.asked);
}

const signInNeeded = (server: string): string =>
  `The operator of this session has to sign in to "${server}". They are asked on the session's page; do not repeat the call until they have.`;

/** The operator cannot help either. */
export const nobodyCanSignIn = (server: string): AccessTokenAnswer =>
  told(
    `Nobody can sign in to "${server}" for this session; its catalog entry was changed or removed, or nobody drives the session.`,
  );

/** Signing in again is of no use. */
export const refusesEveryToken = (server: string, why: string): AccessTokenAnswer =>
  told(
    `"${server}" refuses every access token, also those of a new sign-in: ${why}. Signing in again does not help, so nobody is asked to; an admin or the server's operator has to look at it. Do not repeat the call.`,
  );

const told = (message: string): AccessTokenAnswer => ({ result: 'authorization_required', message });

export interface TokenAsker {
  workspaceId: string;
  /** The person whose sign-in counts; null for a session that nobody drives, such as a child. */
  userId: string | null;
  /** As it was frozen. */
  server: FrozenServer;
  /** Null for a check, during which nobody is asked to sign in. */
  sessionId: string | null;
}

/** Null when nothing of that name was frozen. */
export async function readAsker(
  db: Db,
  { workload }: ContextByScope['workload'],
  serverName: string,
): Promise<TokenAsker | null> {
  if (workload.kind === 'check') {
    const { id, workspace_id: workspaceId, started_by: userId } = workload.check;
    const server = serverOf(await readCheckConfiguration(db, id), serverName);
    return server && { workspaceId, userId, server, sessionId: null };
  }
  const { id, workspace_id: workspaceId, operator_id: userId } = workload.session;
  const server = serverOf(await readConfiguration(db, id), serverName);
  return server && { workspaceId, userId, server, sessionId: id };
}

const serverOf = (
  configuration: { servers: readonly FrozenServer[] } | null,
  serverName: string,
): FrozenServer | null => configuration?.servers.find(({ name }) => name === serverName) ?? null;
