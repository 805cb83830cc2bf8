/**
 * The registration of a remote server follows its catalog entry, and begins again: after a change, on an
 * admin's word, or where the server no longer knows its client. Then what an attempt has led to.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { McpServer } from '../../contract/catalog.ts';
import { partiesOf, type SignInParties, sameParties } from '../../contract/mcp-registration.ts';
import { systemActor } from '../../contract/session-event.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import {
  type Attempt,
  detachRegistration,
  insertRegistration,
  lockRegistration,
  lockRegistrationOf,
  type RegistrationRow,
  type Restart,
  readRegistration,
  restartRegistration,
  type Settlement,
  settleRegistration,
} from '../../store/mcp-registrations/registrations.ts';
import { lockMcpServerForUse } from '../../store/mcp-servers/mcp-servers.ts';
import { cancelAuthorizations } from '../../store/oauth-authorizations/authorizations.ts';
import {
  deleteClientRow,
  type OAuthClientRow,
  readCurrentClient,
  retireClients,
} from '../../store/oauth-clients/clients.ts';
import { wasClientUsed } from '../../store/oauth-connections/read.ts';

/** Addresses of the platform that an authorization server is told, by the registration's id. */
export interface RegistrationAddresses {
  redirectUri: (registrationId: string) => string;
  /** Null where the platform has no address on the internet. */
  clientMetadataUrl: (registrationId: string) => string | null;
}

/**
 * Has the registration follow an entry that was saved: a remote server gets one, which starts again when its
 * shape changed; any other has none. Returns the id of a registration whose workflow has something to do, or
 * null.
 */
export async function followEntry(
  trx: Transaction,
  server: McpServer,
  workspaceId: string,
  addresses: RegistrationAddresses,
): Promise<string | null> {
  const { id: entryId, name: entryName, shape } = server;
  const registration = await lockRegistrationOf(trx, entryId);
  if (shape.type !== 'remote') {
    if (registration === null) {
      return null;
    }
    await cancelAuthorizations(trx, { registration_id: registration.id });
    return detachRegistration(trx, registration.id);
  }
  if (registration === null) {
    const id = randomUUID();
    await insertRegistration(trx, {
      ...{ id, workspaceId, entryId, entryName, shape },
      redirectUri: addresses.redirectUri(id),
      clientMetadataUrl: addresses.clientMetadataUrl(id),
    });
    return id;
  }
  if (isDeepStrictEqual(registration.shape, shape)) {
    return null;
  }
  // Another URL is another server, which the admin chose: nothing of the old one counts for it.
  const isSameServer = registration.shape.url === shape.url;
  const { id } = registration;
  await beginAgain(trx, registration, addresses, {
    shape,
    ...(isSameServer ? {} : { signInServer: null }),
  });
  if (!isSameServer) {
    await leaveServer(trx, id);
  }
  return id;
}

/**
 * People sign in elsewhere from now on: clients of the former server are retired, and sign-ins that wait for
 * it, in its scopes, are cancelled.
 */
export async function leaveServer(trx: Transaction, registrationId: string): Promise<void> {
  await retireClients(trx, registrationId);
  await cancelAuthorizations(trx, { registration_id: registrationId });
}

/** A new attempt, with the platform's current addresses. */
async function beginAgain(
  trx: Transaction,
  { id, redirect_uri }: RegistrationRow,
  addresses: RegistrationAddresses,
  restart: Restart = {},
): Promise<void> {
  const redirectUri = addresses.redirectUri(id);
  if (redirectUri !== redirect_uri) {
    await retireClients(trx, id);
  }
  const clientMetadataUrl = addresses.clientMetadataUrl(id);
  await restartRegistration(trx, id, { ...restart, redirectUri, clientMetadataUrl });
}

interface PartiesAcceptance {
  workspaceId: string;
  name: string;
  /** What the admin read. */
  parties: SignInParties;
  userId: string;
  addresses: RegistrationAddresses;
}

/** `changed`: this is not, or no longer, what waits for an admin. */
type AcceptedParties = { result: 'accepted'; registrationId: string } | { result: 'changed' | 'not_found' };

/**
 * Accepts another issuer or resource of a remote server, exactly as the admin read it, and starts again with
 * it. Clients at the former issuer are retired.
 */
export function acceptParties(db: Db, acceptance: PartiesAcceptance): Promise<AcceptedParties> {
  const { workspaceId, name, parties, userId, addresses } = acceptance;
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    const registration = entry && (await lockRegistrationOf(trx, entry.id));
    if (entry === null || registration === null) {
      return { result: 'not_found' };
    }
    const { id, status, found_server: found, sign_in_server: before } = registration;
    if (status !== 'failed' || found === null || !sameParties(partiesOf(found), parties)) {
      return { result: 'changed' };
    }
    await beginAgain(trx, registration, addresses, { signInServer: found });
    if (before !== null && before.authorizationServer.issuer !== parties.issuer) {
      await leaveServer(trx, id);
    }
    await appendAuditEvent(trx, {
      workspaceId,
      event: 'workspace.mcp.issuer_accepted',
      actor: { type: 'user', id: userId },
      resource: { type: 'mcp_server', id: entry.id, name },
      data: { accepted: parties, before: before === null ? null : partiesOf(before) },
    });
    return { result: 'accepted', registrationId: id };
  });
}

/**
 * Has the platform registered again where its server no longer knows the client. False when another client is
 * in use by now, or an admin registered it by hand: only they can do so again. False also when nobody has
 * ever signed in with the client: a server that refuses a client which it has just made would refuse the next
 * as well, and each try would leave one there.
 */
export function renewClient(db: Db, client: OAuthClientRow): Promise<boolean> {
  const { registration_id: registrationId } = client;
  return inTransaction(db, async (trx) => {
    const registration = await lockRegistration(trx, registrationId);
    const current = await readCurrentClient(trx, registrationId);
    if (registration === null || current?.id !== client.id || client.kind !== 'registered') {
      return false;
    }
    if (!(await wasClientUsed(trx, client.id))) {
      return false;
    }
    await retireClients(trx, registrationId);
    await restartRegistration(trx, registrationId, {});
    return true;
  });
}

/**
 * Has a remote server discovered again, whatever became of it before; one whose registration is under way
 * goes on. What was accepted stays what the outcome is compared with; what is in use stays in use where
 * nobody is reached. Returns the registration's id; null when the workspace has no such remote server.
 */
export function retryRegistration(
  db: Db,
  {
    workspaceId,
    name,
    userId,
    addresses,
  }: { workspaceId: string; name: string; userId: string; addresses: RegistrationAddresses },
): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    const registration = entry && (await lockRegistrationOf(trx, entry.id));
    if (entry === null || registration === null) {
      return null;
    }
    if (registration.status !== 'pending') {
      const isInUse =
        registration.status === 'ready' &&
        registration.redirect_uri === addresses.redirectUri(registration.id);
      await beginAgain(trx, registration, addresses, { resumes: isInUse });
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.registration_retried',
        actor: { type: 'user', id: userId },
        resource: { type: 'mcp_server', id: entry.id, name },
      });
    }
    return registration.id;
  });
}

/**
 * Records how an attempt ended, with its audit event; `record` is stored with it. False, and nothing is done,
 * when the attempt has ended, or another has begun.
 */
export async function settleAttempt(
  db: Db,
  registration: RegistrationRow,
  settlement: Settlement,
  record: (trx: Transaction) => Promise<void> = async () => {},
): Promise<boolean> {
  const { workspace_id: workspaceId, mcp_server_id: entryId, entry_name: name } = registration;
  const attempt: Attempt = registration;
  return inTransaction(db, async (trx) => {
    if (!(await settleRegistration(trx, attempt, settlement))) {
      return false;
    }
    await record(trx);
    if (entryId !== null) {
      await appendAuditEvent(trx, {
        workspaceId,
        event:
          settlement.status === 'ready'
            ? 'workspace.mcp.registration_completed'
            : 'workspace.mcp.registration_failed',
        actor: systemActor,
        resource: { type: 'mcp_server', id: entryId, name },
        data: factsOf(settlement),
      });
    }
    return true;
  });
}

function factsOf(settlement: Settlement): Record<string, unknown> {
  if (settlement.status === 'ready') {
    const { signIn, signInServer } = settlement;
    return { sign_in: signIn, ...(signInServer === null ? {} : partiesOf(signInServer)) };
  }
  if (settlement.status === 'resumed') {
    return { reason: settlement.reason, stays_in_use: true };
  }
  const { reason, foundServer } = settlement;
  return { reason, ...(foundServer === null ? {} : { found: partiesOf(foundServer) }) };
}

/**
 * Forgets a retired client and its credentials. `isDeleted`: whether its server has deleted it; if not, it is
 * left there.
 */
export async function recordClientDeletion(
  db: Db,
  client: OAuthClientRow,
  { isDeleted }: { isDeleted: boolean },
): Promise<void> {
  const { workspace_id: workspaceId, registration_id: registrationId, issuer, client_id, kind } = client;
  await inTransaction(db, async (trx) => {
    const registration = await readRegistration(trx, registrationId);
    await deleteClientRow(trx, client.id);
    if (kind === 'registered') {
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.client_deleted',
        actor: systemActor,
        resource: {
          type: 'mcp_server',
          id: registration?.mcp_server_id ?? registrationId,
          name: registration?.entry_name ?? '',
        },
        data: { issuer, client_id, at_server: isDeleted },
      });
    }
  });
}
