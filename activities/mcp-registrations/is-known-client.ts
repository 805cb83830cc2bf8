import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { type ClientState, readClient } from '../../lib/oauth/register-client.ts';
import {
  type OAuthClientRow,
  readManagementToken,
  renewCredentials,
} from '../../store/oauth-clients/clients.ts';
import { listConnectionsOfClient } from '../../store/oauth-connections/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { requestContext } from './attempt.ts';

/**
 * Whether a client goes on to be used. One that people are signed in with always does: should its server not know it any more, their next refresh
 * shows that. Of any other its server is asked (RFC 7592), since a client that was deleted there ends each sign-in on the server's error page. A server
 * that cannot be asked is registered at again, but not while it is in trouble.
 */
export async function isKnownClient(
  dependencies: ActivityDependencies,
  client: OAuthClientRow,
): Promise<boolean> {
  const { db, masterKeys } = dependencies;
  if (client.kind !== 'registered' || (await listConnectionsOfClient(db, client.id)).length > 0) {
    return true;
  }
  const accessToken = await readManagementToken(db, masterKeys, client);
  if (client.management_url === null || accessToken === null) {
    return false;
  }
  const state = await ask(dependencies, client.client_id, { url: client.management_url, accessToken });
  if (state.kind === 'known') {
    const { clientSecret: secret, accessToken: managementToken } = state;
    await renewCredentials(db, masterKeys, client, {
      secret: client.token_auth_method === 'none' ? null : secret,
      managementToken,
    });
  }
  return state.kind === 'known';
}

async function ask(
  dependencies: ActivityDependencies,
  clientId: string,
  management: { url: string; accessToken: string },
): Promise<ClientState> {
  try {
    return await readClient(requestContext(dependencies), clientId, management);
  } catch (error) {
    if (!(error instanceof OAuthDiscoveryError)) {
      throw error;
    }
    return error.isTemporary ? { kind: 'known', clientSecret: null, accessToken: null } : { kind: 'unknown' };
  }
}
