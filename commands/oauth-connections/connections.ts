/**
 * A person's sign-in at a remote server, from its tokens to its end, and whether it may be used: everything
 * that it was made with is the same today. Tokens are sealed, and no audit event holds one.
 */
import { partiesOf, type StoredSignInServer } from '../../contract/mcp-registration.ts';
import { tokenMarginMs } from '../../contract/remote-server.ts';
import type { FrozenServer } from '../../contract/session.ts';
import { type Actor, systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import {
  type RegistrationRow,
  readRegistration,
  readRegistrationOf,
} from '../../store/mcp-registrations/registrations.ts';
import { type OAuthClientRow, readCurrentClient } from '../../store/oauth-clients/clients.ts';
import {
  endConnection,
  eraseTokens,
  hasRefreshToken,
  keepRefusal,
  type NewTokens,
  replaceTokens,
} from '../../store/oauth-connections/change.ts';
import {
  type ConnectionEndReason,
  type ConnectionRow,
  readConnection,
  readConnectionResource,
  replacedRefused,
} from '../../store/oauth-connections/read.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';

type Timed = Pick<ConnectionRow, 'expires_at' | 'refreshed_at'>;

/** `late`: it is about to end, which is when a tenth of its lifetime is left, or a minute of a long one. */
type TokenEnd = 'far' | 'late' | 'ended';

/** Whether the access token of a sign-in is too close to its end to be used. Pure. */
export function tokenEndOf({ expires_at: expiresAt, refreshed_at: givenAt }: Timed, nowMs: number): TokenEnd {
  if (expiresAt === null) {
    return 'far';
  }
  const endMs = Date.parse(expiresAt);
  const lifetimeMs = Math.max(0, endMs - Date.parse(givenAt));
  if (endMs <= nowMs) {
    return 'ended';
  }
  return endMs - tokenMarginMs(lifetimeMs) <= nowMs ? 'late' : 'far';
}

/**
 * Whether the person has a connection there that can be used, as far as the platform knows without asking the
 * server.
 */
export async function isSignedIn(db: Db, userId: string, binding: Binding): Promise<boolean> {
  const connection = await readConnection(db, { registrationId: binding.registration.id, userId });
  if (connection === null || !isBoundTo(connection, binding)) {
    return false;
  }
  // A token without a refresh token would end before the agent calls anything.
  return tokenEndOf(connection, Date.now()) === 'far' || (await hasRefreshToken(db, connection));
}

/** Stores what a refresh gave. False when nobody wants it any more: it is to be revoked. */
export function storeRefreshed(
  db: Db,
  keys: MasterKeys,
  connection: ConnectionRow,
  tokens: NewTokens,
): Promise<boolean> {
  return inTransaction(db, (trx) => replaceTokens(trx, keys, connection, tokens));
}

/** A connection that is older has worked. */
const newForSeconds = 3600;

/**
 * Keeps why a server refuses tokens that its authorization server has just given: the person reads it where
 * they sign in again, admins in the audit trail. True when it refused those of the connection before this one
 * as well: another one would be of no use.
 */
export function recordTokensRefused(db: Db, connection: ConnectionRow, refusal: string): Promise<boolean> {
  const { id, workspace_id: workspaceId, user_id, issuer, resource } = connection;
  return inTransaction(db, async (trx) => {
    if (await keepRefusal(trx, id, refusal)) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'connection.tokens_refused',
        actor: systemActor,
        resource: await readConnectionResource(trx, connection),
        data: { user_id, issuer, resource, explanation: refusal },
      });
    }
    return replacedRefused(trx, connection, newForSeconds);
  });
}

/**
 * Ends a person's connection to a remote server: it is of no use from now on, and a worker revokes its
 * tokens. False when it has ended before. `facts` are audited, and hold no token; the person reads the reason
 * where they sign in again.
 */
export function endSignIn(
  db: Db,
  connection: ConnectionRow,
  reason: ConnectionEndReason,
  facts: { reason?: string; by?: Actor } = {},
): Promise<boolean> {
  const { by = systemActor, reason: explanation } = facts;
  return inTransaction(db, async (trx) => {
    if (!(await endConnection(trx, connection.id, { reason, refusal: explanation }))) {
      return false;
    }
    await appendAuditEvent(trx, {
      workspaceId: connection.workspace_id,
      event: reason === 'refused' ? 'connection.refused' : 'connection.ended',
      actor: by,
      resource: await readConnectionResource(trx, connection),
      data: {
        user_id: connection.user_id,
        issuer: connection.issuer,
        resource: connection.resource,
        reason,
        ...(explanation === undefined ? {} : { explanation }),
      },
    });
    return true;
  });
}

/** Erases the tokens of an ended connection. `isRevoked`: whether the server has revoked them. */
export function recordRevocation(
  db: Db,
  connection: ConnectionRow,
  { isRevoked }: { isRevoked: boolean },
): Promise<void> {
  const { workspace_id: workspaceId, user_id, issuer } = connection;
  return inTransaction(db, async (trx) => {
    if (await eraseTokens(trx, connection)) {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'connection.revoked',
        actor: systemActor,
        resource: await readConnectionResource(trx, connection),
        data: { user_id, issuer, at_server: isRevoked },
      });
    }
  });
}

/** What people sign in to: a server as it is registered today. */
export interface Binding {
  registration: RegistrationRow;
  client: OAuthClientRow;
  server: StoredSignInServer;
}

export type FoundBinding =
  | { kind: 'bound'; binding: Binding }
  /**
   * It is being registered again. `inUse`: what was in use before, and is until that has ended;
   * null for one that was not.
   */
  | { kind: 'pending'; inUse: Binding | null }
  /** Nobody can sign in to it, or it is not the server that the session froze. */
  | { kind: 'none' };

/** Of a server as a session froze it. */
export async function readBinding(
  db: Db,
  { entry_id: entryId, shape, sign_in }: Pick<FrozenServer, 'entry_id' | 'shape' | 'sign_in'>,
): Promise<FoundBinding> {
  const registration = await readRegistrationOf(db, entryId);
  const isSame = shape.type === 'remote' && sign_in === 'oauth' && registration?.shape.url === shape.url;
  return registration === null || !isSame ? { kind: 'none' } : bindingOf(db, registration);
}

/** Of the registration with this id; none when it is gone. */
export async function readBindingOf(db: Db, registrationId: string): Promise<FoundBinding> {
  const registration = await readRegistration(db, registrationId);
  return registration === null ? { kind: 'none' } : bindingOf(db, registration);
}

/**
 * Of the server as it is registered today; none once its entry is removed, whatever is left to be deleted.
 */
export async function bindingOf(db: Db, registration: RegistrationRow): Promise<FoundBinding> {
  const { mcp_server_id: entryId, status, resumes } = registration;
  if (entryId === null) {
    return { kind: 'none' };
  }
  if (status === 'pending') {
    return { kind: 'pending', inUse: resumes ? await readUsable(db, registration) : null };
  }
  const binding = status === 'ready' ? await readUsable(db, registration) : null;
  return binding === null ? { kind: 'none' } : { kind: 'bound', binding };
}

async function readUsable(db: Db, registration: RegistrationRow): Promise<Binding | null> {
  const { id, sign_in, sign_in_server: server } = registration;
  const client = await readCurrentClient(db, id);
  return server !== null &&
    client !== null &&
    sign_in === 'oauth' &&
    client.issuer === server.authorizationServer.issuer
    ? { registration, client, server }
    : null;
}

/** What a connection is made with: a change of any of it means signing in again. */
export interface BoundTo {
  url: string;
  resource: string;
  issuer: string;
  oauth_client_id: string;
}

export const boundToOf = ({ registration, client, server }: Binding): BoundTo => ({
  url: registration.shape.url,
  ...partiesOf(server),
  oauth_client_id: client.id,
});

/** Whether a connection was, or is being, made with all of that. */
export const isBoundTo = (made: BoundTo, binding: Binding): boolean => {
  const today = boundToOf(binding);
  return (
    made.url === today.url &&
    made.resource === today.resource &&
    made.issuer === today.issuer &&
    made.oauth_client_id === today.oauth_client_id
  );
};
