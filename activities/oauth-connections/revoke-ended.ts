/** Revokes the tokens of ended connections at their authorization servers, and erases them. */
import { readUsableClient, type UsableClient } from '../../commands/oauth-clients/clients.ts';
import { endSignIn, recordRevocation } from '../../commands/oauth-connections/connections.ts';
import type { OAuthContext } from '../../lib/oauth/requests.ts';
import { OAuthTokenError } from '../../lib/oauth/token-errors.ts';
import { revokeToken } from '../../lib/oauth/tokens.ts';
import { settled } from '../../runtime/settled.ts';
import type { Db } from '../../store/database.ts';
import { readRegistration } from '../../store/mcp-registrations/registrations.ts';
import { type OAuthClientRow, readClient } from '../../store/oauth-clients/clients.ts';
import { readToken } from '../../store/oauth-connections/change.ts';
import {
  type ConnectionRow,
  type EndedConnection,
  listConnectionsOfClient,
  listUnrevokedConnections,
  listUnrevokedOfClient,
} from '../../store/oauth-connections/read.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const perSweep = 20;
/** For one connection: both of its tokens. */
const limitMs = 20_000;
/** A server that is gone for longer keeps what it has; the platform does not. */
const giveUpAfterMs = 24 * 60 * 60 * 1000;

/**
 * Safe at any time, and from several workers at once: a token that is revoked twice is revoked. All at the
 * same time: a server that keeps silent delays no other.
 */
export async function revokeEndedConnections(dependencies: ActivityDependencies): Promise<void> {
  const connections = await listUnrevokedConnections(dependencies.db, perSweep);
  await settled(connections.map((each) => revokeAndRecord(dependencies, each)));
}

/** The connections with a client that nobody uses any more end with it: the sweep revokes them, too. */
export async function endConnectionsOf(db: Db, clientId: string): Promise<void> {
  for (const connection of await listConnectionsOfClient(db, clientId)) {
    await endSignIn(db, connection, 'unbound');
  }
}

/** Revokes the ended ones with one client, before it is deleted; those of a server in trouble stay. */
export async function revokeConnectionsOf(
  dependencies: ActivityDependencies,
  clientId: string,
): Promise<void> {
  const { db } = dependencies;
  for (const connection of await listUnrevokedOfClient(db, clientId)) {
    await revokeAndRecord(dependencies, connection);
  }
}

async function revokeAndRecord(
  dependencies: ActivityDependencies,
  connection: EndedConnection,
): Promise<void> {
  const outcome = await revoke(dependencies, connection);
  if (outcome !== 'later') {
    await recordRevocation(dependencies.db, connection, { isRevoked: outcome === 'revoked' });
  }
}

type Outcome = 'revoked' | 'kept' | 'later';

async function revoke(dependencies: ActivityDependencies, connection: EndedConnection): Promise<Outcome> {
  const { remoteServers, log } = dependencies;
  try {
    const place = await findServer(dependencies, connection);
    if (place === null) {
      return 'kept';
    }
    const signal = AbortSignal.timeout(limitMs);
    const context: OAuthContext = { ...remoteServers, workspaceId: connection.workspace_id, signal };
    return (await revokeAt(dependencies, context, { connection, ...place })) ? 'revoked' : 'kept';
  } catch (err) {
    const isFinal =
      err instanceof UnreadableSecretError || (err instanceof OAuthTokenError && !err.isTemporary);
    const isOver = Date.now() - Date.parse(connection.ended_at) > giveUpAfterMs;
    log.warn({ err, connection_id: connection.id }, 'a connection to a remote server was not revoked there');
    return isFinal || isOver ? 'kept' : 'later';
  }
}

interface Place {
  server: OAuthClientRow['authorization_server'];
  client: UsableClient;
}

/**
 * The server that the client was made at, whatever the entry says by now; null when the
 * client, or its secret, is gone.
 */
async function findServer(
  { db, masterKeys }: ActivityDependencies,
  connection: EndedConnection,
): Promise<Place | null> {
  // The newer connection has the same client: servers that keep one grant for a person and a client
  // would revoke it as well.
  if (connection.end_reason === 'replaced') {
    return null;
  }
  const registration = await readRegistration(db, connection.registration_id);
  const row = await readClient(db, connection.oauth_client_id);
  if (registration === null || row === null) {
    return null;
  }
  const client = await readUsableClient(db, masterKeys, { registration, client: row });
  return client && { server: row.authorization_server, client };
}

/**
 * The refresh token first: servers revoke the access tokens with it, and some refuse them afterwards. Once it
 * is revoked the connection is, whatever becomes of the access token, which ends by itself.
 */
async function revokeAt(
  { db, masterKeys, log }: ActivityDependencies,
  context: OAuthContext,
  { connection, server, client }: Place & { connection: ConnectionRow },
): Promise<boolean> {
  let isRevoked: boolean | null = null;
  for (const [kind, hint] of [
    ['refresh-token', 'refresh_token'],
    ['access-token', 'access_token'],
  ] as const) {
    const token = await readToken(db, masterKeys, connection, kind);
    if (token === null) {
      continue;
    }
    try {
      const isGone = await revokeToken(context, server, client, { token, hint });
      isRevoked ??= isGone;
    } catch (err) {
      if (isRevoked !== true) {
        throw err;
      }
      log.warn(
        { err, connection_id: connection.id },
        'the access token of a revoked connection ends by itself',
      );
    }
  }
  return isRevoked ?? false;
}
