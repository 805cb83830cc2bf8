/** The state of a remote server's registration as people read it. */
import {
  type McpRegistration,
  partiesOf,
  type ShownParties,
  type StoredSignInServer,
} from '../../contract/mcp-registration.ts';
import type { Db } from '../../store/database.ts';
import { readRegistrationsOf } from '../../store/mcp-registrations/read.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import { type OAuthClientRow, readCurrentClients } from '../../store/oauth-clients/clients.ts';

/** By the entry's id; entries that are no remote servers are absent. */
export async function readShownRegistrations(
  db: Db,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, McpRegistration>> {
  const registrations = await readRegistrationsOf(db, entryIds);
  const ids = [...registrations.values()].map(({ id }) => id);
  const clients = ids.length === 0 ? new Map<string, OAuthClientRow>() : await readCurrentClients(db, ids);
  return new Map(
    [...registrations].map(([entryId, row]) => [entryId, presentRegistration(row, clients.get(row.id))]),
  );
}

function presentRegistration(row: RegistrationRow, client: OAuthClientRow | undefined): McpRegistration {
  const { status, sign_in, sign_in_server, found_server, redirect_uri, updated_at } = row;
  const reason = row.reason ?? row.unreached_reason;
  // What was accepted is kept where nobody signs in for now.
  const accepted = status === 'ready' && sign_in !== 'oauth' ? null : sign_in_server;
  return {
    ...{ status, reason, sign_in, redirect_uri, updated_at },
    parties: shownPartiesOf(accepted),
    // While an attempt is under way it is what was found so far.
    found: status === 'failed' ? shownPartiesOf(found_server) : null,
    scopes: accepted?.scopes ?? [],
    client: client === undefined ? null : { kind: client.kind, client_id: client.client_id },
  };
}

export const shownPartiesOf = (server: StoredSignInServer | null): ShownParties | null =>
  server && {
    ...partiesOf(server),
    authorization_host: new URL(server.authorizationServer.authorizationEndpoint).host,
  };
