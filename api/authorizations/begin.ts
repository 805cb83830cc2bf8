/** A person begins to sign in to a remote server: the address that their browser is led to. */
import { randomBytes } from 'node:crypto';
import { storeAttempt } from '../../commands/oauth-authorizations/attempts.ts';
import { readUsableClient } from '../../commands/oauth-clients/read-client.ts';
import { type Binding, boundToOf, readBindingOf } from '../../commands/oauth-connections/binding.ts';
import { buildAuthorizationRequest } from '../../lib/oauth/authorization-request.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { type OwnAuthorization, readOwnAuthorization } from '../../store/oauth-authorizations/read.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, notFound } from '../errors.ts';
import type { SignedIn } from '../route.ts';

export type BeginDependencies = Pick<ApiDependencies, 'db' | 'config' | 'remoteServers'>;

/**
 * Throws 404 for anybody but the person who is to sign in, 409 when it cannot be begun (any more) or not at `browserOrigin`, and `unavailable`
 * while the entry is being registered again.
 */
export async function begin(
  dependencies: BeginDependencies,
  { user, signInId }: SignedIn,
  { id, browserOrigin }: { id: string; browserOrigin: string },
): Promise<{ url: string }> {
  const { db, config, remoteServers } = dependencies;
  const authorization = await requireOwn(dependencies, user.id, id);
  requirePending(authorization);
  const binding = await requireBinding(dependencies, authorization);
  const { client, server } = binding;
  requireOrigin(client.redirect_uri, browserOrigin);
  const request = asConflict(() =>
    buildAuthorizationRequest(
      remoteServers.policy,
      {
        server: server.authorizationServer,
        clientId: client.client_id,
        redirectUri: client.redirect_uri,
        resource: server.resource,
        scopes: authorization.scopes,
      },
      randomBytes,
    ),
  );
  const { url, state, codeVerifier } = request;
  const bound = boundToOf(binding);
  const attempt = { state, codeVerifier, signInId, bound };
  if (!(await storeAttempt(db, config.MASTER_KEYS, authorization, attempt))) {
    throw new ApiError(
      'conflict',
      'The sign-in is over, or asks for something else by now; look at it again',
    );
  }
  return { url };
}

/** Throws 404 for anybody else, and once the person has left the workspace. */
export async function requireOwn(
  { db }: Pick<ApiDependencies, 'db'>,
  userId: string,
  id: string,
): Promise<OwnAuthorization> {
  const own = await readOwnAuthorization(db, userId, id);
  if (own === null) {
    throw notFound('The sign-in');
  }
  return own;
}

function requirePending({ status }: OwnAuthorization): void {
  if (status !== 'pending') {
    throw over(status);
  }
}

const over = (status: Exclude<OwnAuthorization['status'], 'pending'>) =>
  new ApiError(
    'conflict',
    {
      connected: 'You are signed in already',
      expired: 'The time for this sign-in is over; start the session again, or let its agent repeat the call',
      cancelled:
        'Nothing waits for this sign-in any more: its session has ended, or the entry is another server by now',
    }[status],
  );

async function requireBinding(
  { db, config }: BeginDependencies,
  { registration_id, entry_name }: OwnAuthorization,
): Promise<Binding> {
  const found = await readBindingOf(db, registration_id);
  if (found.kind === 'pending') {
    throw new ApiError('unavailable', `"${entry_name}" is being registered again; try again in a moment`, {
      retryAfterSeconds: 5,
    });
  }
  const client =
    found.kind === 'bound' ? await readUsableClient(db, config.MASTER_KEYS, found.binding) : null;
  if (found.kind !== 'bound' || client === null) {
    throw new ApiError(
      'conflict',
      `Nobody can sign in to "${entry_name}" now; ask an admin to look at its page in the catalog`,
    );
  }
  return found.binding;
}

/** The cookie of this browser is the proof later that the answer is this person's: it has to come back to the same address. */
function requireOrigin(redirectUri: string, browserOrigin: string): void {
  const { origin } = new URL(redirectUri);
  if (origin !== browserOrigin) {
    throw new ApiError(
      'conflict',
      `Open the platform at ${origin} to sign in: the authorization server sends you back to that address. If it is out of date, an admin has to discover the entry again`,
    );
  }
}

function asConflict<Result>(build: () => Result): Result {
  try {
    return build();
  } catch (error) {
    throw error instanceof OAuthDiscoveryError ? new ApiError('conflict', error.message) : error;
  }
}
