import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { McpServer } from '../../contract/catalog.ts';
import type { Transaction } from '../../store/database.ts';
import {
  detachRegistration,
  insertRegistration,
  type Restart,
  restartRegistration,
} from '../../store/mcp-registrations/change.ts';
import { lockRegistrationOf } from '../../store/mcp-registrations/read.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import { cancelAuthorizations } from '../../store/oauth-authorizations/change.ts';
import { retireClients } from '../../store/oauth-clients/clients.ts';

/** Addresses of the platform that an authorization server is told, by the registration's id. */
export interface RegistrationAddresses {
  redirectUri: (registrationId: string) => string;
  /** Null where the platform has no address on the internet. */
  clientMetadataUrl: (registrationId: string) => string | null;
}

/**
 * Has the registration follow an entry that was saved: a remote server gets one, which starts again when its shape changed; any other has
 * none. Returns the id of a registration whose workflow has something to do, or null.
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

/** People sign in elsewhere from now on: clients of the former server are retired, and sign-ins that wait for it, in its scopes, are cancelled. */
export async function leaveServer(trx: Transaction, registrationId: string): Promise<void> {
  await retireClients(trx, registrationId);
  await cancelAuthorizations(trx, { registration_id: registrationId });
}

/** A new attempt, with the platform's current addresses. */
export async function beginAgain(
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
