/**
 * An attempt registers the platform at an authorization server, unless the client of an earlier one goes on
 * to be used.
 */
import { settleAttempt } from '../../commands/mcp-registrations/registrations.ts';
import { keepRetired, readClientSecretRefusal } from '../../commands/oauth-clients/clients.ts';
import { clientNameOf, type StoredSignInServer } from '../../contract/mcp-registration.ts';
import type { RegistrationOutcome } from '../../contract/workflows.ts';
import { type ClientChoice, chooseClient } from '../../lib/oauth/choose-client.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import {
  type ClientState,
  type RegisteredClient,
  RegistrationAnswerError,
  readClient,
  registerClient as registerAt,
} from '../../lib/oauth/register-client.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/registrations.ts';
import {
  type ClientCredentials,
  isClientUsed,
  type OAuthClientRow,
  readCurrentClient,
  readManagementToken,
  renewCredentials,
  replaceClient,
} from '../../store/oauth-clients/clients.ts';
import { listConnectionsOfClient } from '../../store/oauth-connections/read.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { registrationRefused } from '../failures.ts';
import {
  type AttemptInput,
  atServer,
  orRefused,
  readAttempt,
  readOutcome,
  requestContext,
} from './attempt.ts';

/** A client whose secret ends sooner is registered again. */
const secretMarginMs = 24 * 60 * 60 * 1000;

/**
 * Chooses, and where needed registers, the client, and ends the attempt. A client that this registration has
 * already is kept where it still fits and its server knows it; when the answer to a registration is lost, the
 * next try makes another. Throws `registration_refused`.
 */
export async function registerClient(
  dependencies: ActivityDependencies,
  attempt: AttemptInput,
): Promise<RegistrationOutcome> {
  await becomeClient(dependencies, attempt);
  return readOutcome(dependencies, attempt);
}

async function becomeClient(dependencies: ActivityDependencies, attempt: AttemptInput): Promise<void> {
  const { db, masterKeys } = dependencies;
  const registration = await readAttempt(dependencies, attempt);
  const found = registration?.found_server ?? null;
  if (registration === null || found === null) {
    return;
  }
  const choice = await orRefused(async () => chooseFor(registration, found));
  await requireSecret(dependencies, registration);
  const current = await readCurrentClient(db, registration.id);
  const settlement = { status: 'ready', signIn: 'oauth', signInServer: found } as const;
  const isKept = current !== null && stillFits(current, { registration, found, choice });
  if (isKept && (await isKnownClient(dependencies, current))) {
    await settleAttempt(db, registration, settlement);
    return;
  }
  const { client, credentials } = await makeClient(dependencies, { registration, found, choice });
  const isUsed = await settleAttempt(db, registration, settlement, (trx) =>
    replaceClient(trx, masterKeys, client, credentials),
  );
  if (!isUsed && client.management_url !== null) {
    await keepRetired(db, masterKeys, client, credentials);
  }
}

interface Wanted {
  registration: RegistrationRow;
  found: StoredSignInServer;
  choice: ClientChoice;
}

function chooseFor({ shape, client_metadata_url }: RegistrationRow, found: StoredSignInServer): ClientChoice {
  const { client } = shape;
  return chooseClient(found.authorizationServer, {
    preRegistered:
      client === undefined
        ? null
        : { clientId: client.client_id, hasSecret: client.client_secret !== undefined },
    metadataUrl: client_metadata_url,
  });
}

/** The secret of a client that was registered by hand is the workspace's: it is read where it is used. */
async function requireSecret(
  { db }: Pick<ActivityDependencies, 'db'>,
  { shape, workspace_id, entry_name }: RegistrationRow,
): Promise<void> {
  const refusal = await readClientSecretRefusal(db, {
    workspaceId: workspace_id,
    entryName: entry_name,
    reference: shape.client?.client_secret,
  });
  if (refusal !== null) {
    throw registrationRefused(`The client of the entry ${refusal.message}.`);
  }
}

function stillFits(current: OAuthClientRow, { registration, found, choice }: Wanted): boolean {
  const expiry = current.secret_expires_at;
  return (
    current.issuer === found.authorizationServer.issuer &&
    current.kind === choice.kind &&
    current.redirect_uri === registration.redirect_uri &&
    found.authorizationServer.tokenAuthMethods.includes(current.token_auth_method) &&
    (expiry === null || Date.parse(expiry) > Date.now() + secretMarginMs) &&
    (choice.kind === 'registered' ||
      (current.client_id === choice.clientId && current.token_auth_method === choice.tokenAuthMethod))
  );
}

async function makeClient(
  dependencies: ActivityDependencies,
  { registration, found, choice }: Wanted,
): Promise<{ client: Omit<OAuthClientRow, 'id'>; credentials: ClientCredentials }> {
  const { authorizationServer } = found;
  const shared = sharedColumns({ registration, found, choice });
  if (choice.kind !== 'registered') {
    return {
      client: {
        ...shared,
        client_id: choice.clientId,
        token_auth_method: choice.tokenAuthMethod,
        secret_expires_at: null,
        refreshes_tokens: authorizationServer.refreshesTokens,
        management_url: null,
      },
      credentials: { secret: null, managementToken: null },
    };
  }
  const made = await orRefused(() => registerOrDelete(dependencies, { registration, found, choice }));
  const expiry = made.secretExpiresAtSeconds;
  return {
    client: {
      ...shared,
      client_id: made.clientId,
      token_auth_method: made.tokenAuthMethod,
      secret_expires_at: expiry === null ? null : new Date(expiry * 1000).toISOString(),
      refreshes_tokens: made.refreshesTokens,
      management_url: made.management?.url ?? null,
    },
    credentials: { secret: made.clientSecret, managementToken: made.management?.accessToken ?? null },
  };
}

const sharedColumns = ({ registration, found: { authorizationServer }, choice }: Wanted) => ({
  workspace_id: registration.workspace_id,
  registration_id: registration.id,
  issuer: authorizationServer.issuer,
  authorization_server: authorizationServer,
  kind: choice.kind,
  redirect_uri: registration.redirect_uri,
});

/**
 * A client whose answer is refused is kept as retired, so that it is deleted at its server: a retry makes
 * another. One that an entry uses was not made in this registration.
 */
async function registerOrDelete(
  dependencies: ActivityDependencies,
  wanted: Wanted,
): Promise<RegisteredClient> {
  const { db, masterKeys } = dependencies;
  const { registration, found, choice } = wanted;
  const { redirect_uri: redirectUri, entry_name } = registration;
  const { tokenAuthMethod } = choice;
  const options = { redirectUri, clientName: clientNameOf(entry_name), tokenAuthMethod };
  try {
    const context = requestContext(dependencies, registration);
    return await atServer(dependencies, registration, () =>
      registerAt(context, found.authorizationServer, options, new Date()),
    );
  } catch (error) {
    if (error instanceof RegistrationAnswerError) {
      const { clientId: client_id, management } = error.unwanted;
      const shared = sharedColumns(wanted);
      if (await isClientUsed(db, { issuer: shared.issuer, client_id })) {
        throw error;
      }
      const client = {
        ...shared,
        client_id,
        token_auth_method: tokenAuthMethod,
        secret_expires_at: null,
        refreshes_tokens: false,
        management_url: management.url,
      };
      await keepRetired(db, masterKeys, client, { secret: null, managementToken: management.accessToken });
    }
    throw error;
  }
}

/**
 * Whether a client goes on to be used. One that people are signed in with always does: should its server not
 * know it any more, their next refresh shows that. Of any other its server is asked (RFC 7592), since a
 * client that was deleted there ends each sign-in on the server's error page. A server that cannot be asked
 * is registered at again, but not while it is in trouble.
 */
async function isKnownClient(dependencies: ActivityDependencies, client: OAuthClientRow): Promise<boolean> {
  const { db, masterKeys } = dependencies;
  if (client.kind !== 'registered' || (await listConnectionsOfClient(db, client.id)).length > 0) {
    return true;
  }
  const accessToken = await readManagementToken(db, masterKeys, client);
  if (client.management_url === null || accessToken === null) {
    return false;
  }
  const state = await ask(dependencies, client, { url: client.management_url, accessToken });
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
  client: OAuthClientRow,
  management: { url: string; accessToken: string },
): Promise<ClientState> {
  try {
    return await atServer(dependencies, client, () =>
      readClient(requestContext(dependencies, client), client.client_id, management),
    );
  } catch (error) {
    if (!(error instanceof OAuthDiscoveryError)) {
      throw error;
    }
    return error.isTemporary ? { kind: 'known', clientSecret: null, accessToken: null } : { kind: 'unknown' };
  }
}
