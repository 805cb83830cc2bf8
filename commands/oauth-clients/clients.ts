/**
 * The client by which the platform is known to an authorization server. The secret of one that an admin
 * registered by hand is a workspace secret, which the entry has to be allowed to use.
 */
import { referencedSecretName } from '../../contract/names.ts';
import { type SecretRefusal, secretRefusal } from '../../contract/secret-use.ts';
import { type Db, inTransaction } from '../../store/database.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/registrations.ts';
import {
  type ClientCredentials,
  insertRetiredClient,
  type OAuthClientRow,
  readClientSecret,
} from '../../store/oauth-clients/clients.ts';
import type { MasterKeys } from '../../store/secrets/envelope.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import { openSecret } from '../secrets/secrets.ts';

interface ClientSecretUse {
  workspaceId: string;
  entryName: string;
  /** `${NAME}`; undefined for a client without a secret. */
  reference: string | undefined;
}

/** Why the entry may not use it; null when it may, and for a client without one. */
export async function readClientSecretRefusal(
  db: Db,
  { workspaceId, entryName, reference = '' }: ClientSecretUse,
): Promise<SecretRefusal | null> {
  const name = referencedSecretName(reference);
  if (name === null) {
    return null;
  }
  const known = await readKnownSecrets(db, workspaceId, [name]);
  return secretRefusal(name, known.get(name), entryName);
}

/** Its value; null where there is none, or the entry may not use it. Throws UnreadableSecretError. */
async function readClientSecretValue(
  db: Db,
  keys: MasterKeys,
  { workspaceId, entryName, reference = '' }: ClientSecretUse,
): Promise<string | null> {
  const name = referencedSecretName(reference);
  if (name === null) {
    return null;
  }
  const opened = await openSecret(db, keys, { workspaceId, name, server: entryName });
  return 'refusal' in opened ? null : opened.value;
}

/** Keeps a client that came too late, or is refused, until it is deleted at its server. */
export const keepRetired = (
  db: Db,
  keys: MasterKeys,
  client: Omit<OAuthClientRow, 'id'>,
  credentials: ClientCredentials,
): Promise<void> => inTransaction(db, (trx) => insertRetiredClient(trx, keys, client, credentials));

/** A client as it shows itself at its authorization server, and at no other. */
export interface UsableClient {
  issuer: string;
  clientId: string;
  tokenAuthMethod: OAuthClientRow['token_auth_method'];
  clientSecret: string | null;
}

/** A client, of today or of before, and what the entry says today. */
interface ClientOfEntry {
  registration: Pick<RegistrationRow, 'shape' | 'entry_name' | 'sign_in_server'>;
  client: OAuthClientRow;
}

/**
 * The client with its secret, which is a workspace secret where an admin registered it by hand: the same rule
 * decides whether the entry may use that. Null when it may not, when the secret is not there, or when the
 * entry names it for another client by now. Throws UnreadableSecretError.
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
 * The entry names the secret of the client that it has now. One that it had before, such as at the server of
 * another URL, is never shown that.
 */
function referenceFor(
  { issuer, client_id: clientId }: OAuthClientRow,
  { shape, sign_in_server }: Pick<RegistrationRow, 'shape' | 'sign_in_server'>,
): string | undefined {
  const isNamed =
    shape.client?.client_id === clientId && sign_in_server?.authorizationServer.issuer === issuer;
  return isNamed ? shape.client?.client_secret : undefined;
}
