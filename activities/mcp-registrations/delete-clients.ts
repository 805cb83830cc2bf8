/** Clients that nobody uses any more are deleted at their servers, where that is possible. */
import { recordClientDeletion } from '../../commands/mcp-registrations/registrations.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { deleteClient } from '../../lib/oauth/register-client.ts';
import { deleteRegistration, readRegistration } from '../../store/mcp-registrations/registrations.ts';
import {
  isClientUsed,
  listRetiredClients,
  type OAuthClientRow,
  readManagementToken,
  retireClients,
} from '../../store/oauth-clients/clients.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { revokeConnectionsOf } from '../oauth-connections/revoke-ended.ts';
import { atServer, requestContext } from './attempt.ts';

/** Idempotent. Throws when a server is in trouble, so that it is tried again, and only then. */
export async function deleteRetiredClients(
  dependencies: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<void> {
  for (const client of await listRetiredClients(dependencies.db, registrationId)) {
    await atServer(dependencies, client, () => revokeConnectionsOf(dependencies, client.id));
    const isDeleted = await deleteAtServer(dependencies, client);
    await recordClientDeletion(dependencies.db, client, { isDeleted });
  }
}

/** True when the server has deleted it. */
async function deleteAtServer(dependencies: ActivityDependencies, client: OAuthClientRow): Promise<boolean> {
  const { db, masterKeys, log } = dependencies;
  const { issuer, client_id, registration_id } = client;
  // A server may answer a second registration with the client of the first.
  if (await isClientUsed(db, { issuer, client_id, registration_id })) {
    return false;
  }
  try {
    const accessToken = await readManagementToken(db, masterKeys, client);
    const { management_url: url } = client;
    return url === null || accessToken === null
      ? false
      : await atServer(dependencies, client, () =>
          deleteClient(requestContext(dependencies, client), { url, accessToken }),
        );
  } catch (err) {
    const isFinal =
      err instanceof UnreadableSecretError || (err instanceof OAuthDiscoveryError && !err.isTemporary);
    if (!isFinal) {
      throw err;
    }
    log.warn({ err, client_id: client.client_id }, 'a client is left at its authorization server');
    return false;
  }
}

/** Retires the clients of a registration whose entry is gone. Idempotent. */
export async function retireRegistration(
  { db }: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<void> {
  await retireClients(db, registrationId);
}

/** Removes it with what is left of its clients, unless an entry has it. Idempotent. */
export async function removeRegistration(
  { db }: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<void> {
  const registration = await readRegistration(db, registrationId);
  if (registration?.mcp_server_id === null) {
    await deleteRegistration(db, registrationId);
  }
}
