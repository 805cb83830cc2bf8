import type { Db } from '../../store/database.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import { type OAuthClientRow, readClientSecret } from '../../store/oauth-clients/clients.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readClientSecretValue } from './client-secret.ts';

/** A client as it shows itself at its authorization server, and at no other. */
export interface UsableClient {
  issuer: string;
  clientId: string;
  tokenAuthMethod: OAuthClientRow['token_auth_method'];
  clientSecret: string | null;
}

/** A client, of today or of before, and what the entry says today. */
export interface ClientOfEntry {
  registration: Pick<RegistrationRow, 'shape' | 'entry_name' | 'sign_in_server'>;
  client: OAuthClientRow;
}

/**
 * The client with its secret, which is a workspace secret where an admin registered it by hand: the same rule decides whether the entry may
 * use that. Null when it may not, when the secret is not there, or when the entry names it for another client by now. Throws
 * UnreadableSecretError.
 */
export async function readUsableClient(
  db: Db,
  keys: MasterKeys,
  { registration, client }: ClientOfEntry,
): Promise<UsableClient | null> {
  const { issuer, client_id: clientId, token_auth_method: tokenAuthMethod, workspace_id } = client;
  const usable = { issuer, clientId, tokenAuthMethod };
  if (tokenAuthMethod === 'none') {
    return { ...usable, clientSecret: null };
  }
  const clientSecret =
    client.kind === 'pre_registered'
      ? await readClientSecretValue(db, keys, {
          workspaceId: workspace_id,
          entryName: registration.entry_name,
          reference: referenceFor(client, registration),
        })
      : await readClientSecret(db, keys, client);
  return clientSecret === null ? null : { ...usable, clientSecret };
}

/**
 * The entry names the secret of the client that it has now. One that it had before, such as at the server of another URL, is never shown
 * that.
 */
function referenceFor(
  { issuer, client_id: clientId }: OAuthClientRow,
  { shape, sign_in_server }: Pick<RegistrationRow, 'shape' | 'sign_in_server'>,
): string | undefined {
  const isNamed =
    shape.client?.client_id === clientId && sign_in_server?.authorizationServer.issuer === issuer;
  return isNamed ? shape.client?.client_secret : undefined;
}
