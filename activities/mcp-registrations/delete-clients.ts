/** Clients that nobody uses any more are deleted at their servers, where that is possible. */
import { recordClientDeletion } from '../../commands/mcp-registrations/registrations.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { deleteClient } from '../../lib/oauth/register-client.ts';
import { deleteRegistration } from '../../store/mcp-registrations/registrations.ts';
import {
  isClientUsed,
  listRetiredClients,
  type OAuthClientRow,
  readManagementToken,
  retireClients,
} from '../../store/oauth-clients/clients.ts';
import { listUnrevokedOfClient } from '../../store/oauth-connections/read.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { endConnectionsOf, revokeConnectionsOf } from '../oauth-connections/revoke-ended.ts';
import { atServer, requestContext } from './attempt.ts';

/**
 * Idempotent. Throws when a server is in trouble, so that it is tried again, and only then. A client stays as
 * long as sign-ins with it are to be revoked, which nobody could do without it.
 */
export async function deleteRetiredClients(
  dependencies: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<void> {
  const { db } = dependencies;
  const clients = await listRetiredClients(db, registrationId);
  for (const client of clients) {
    await endConnectionsOf(db, client.id);
  }
  const kept: string[] = [];
  for (const client of clients) {
    await atServer(dependencies, client, () => revokeConnectionsOf(dependencies, client.id));
    if ((await listUnrevokedOfClient(db, client.id)).length > 0) {
      kept.push(client.client_id);
      continue;
    }
    const isDeleted = await deleteAtServer(dependencies, client);
    await recordClientDeletion(db, client, { isDeleted });
  }
  if (kept.length > 0) {
    throw new Error(`sign-ins with ${kept.length} retired clients are still to be revoked`);
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

/**
 * Removes it with what is left of its clients, unless an entry has it, or sign-ins are to be revoked: then it
 * returns false, and a later sweep begins again. Idempotent.
 */
export async function removeRegistration(
  { db }: ActivityDependencies,
  { registrationId }: { registrationId: string },
): Promise<boolean> {
  return await deleteRegistration(db, registrationId);
}
