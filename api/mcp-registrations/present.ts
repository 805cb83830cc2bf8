/** The state of a remote server's registration as people read it. */
import {
  type McpRegistration,
  partiesOf,
  type RefusedSignIns,
  type ShownParties,
  type StoredSignInServer,
} from '../../contract/mcp-registration.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { type RegistrationRow, readRegistrationsOf } from '../../store/mcp-registrations/registrations.ts';
import { type OAuthClientRow, readCurrentClients } from '../../store/oauth-clients/clients.ts';
import { readRefusedSignIns } from '../../store/oauth-connections/read.ts';

/** By the entry's id; entries that are no remote servers are absent. Who is refused is for admins. */
export async function readShownRegistrations(
  db: Db,
  entryIds: readonly string[],
  { role }: { role: WorkspaceRole },
): Promise<ReadonlyMap<string, McpRegistration>> {
  const registrations = await readRegistrationsOf(db, entryIds);
  const ids = [...registrations.values()].map(({ id }) => id);
  if (ids.length === 0) {
    return new Map();
  }
  const clients = await readCurrentClients(db, ids);
  const refused = role === 'admin' ? await readRefusedSignIns(db, ids) : new Map<string, RefusedSignIns>();
  return new Map(
    [...registrations].map(([entryId, row]) => [
      entryId,
      presentRegistration(row, clients.get(row.id), refused.get(row.id)),
    ]),
  );
}

function presentRegistration(
  row: RegistrationRow,
  client: OAuthClientRow | undefined,
  refused: RefusedSignIns | undefined,
): McpRegistration {
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
    refused_sign_ins: refused ?? null,
  };
}

export const shownPartiesOf = (server: StoredSignInServer | null): ShownParties | null =>
  server && {
    ...partiesOf(server),
    authorization_host: new URL(server.authorizationServer.authorizationEndpoint).host,
  };
