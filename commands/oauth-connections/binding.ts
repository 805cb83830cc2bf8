/** Whether a person's sign-in may be used for a server: everything that it was made with is the same today. */
import { partiesOf, type StoredSignInServer } from '../../contract/mcp-registration.ts';
import type { FrozenServer } from '../../contract/session.ts';
import type { Db } from '../../store/database.ts';
import { readRegistration, readRegistrationOf } from '../../store/mcp-registrations/read.ts';
import type { RegistrationRow } from '../../store/mcp-registrations/row.ts';
import { type OAuthClientRow, readCurrentClient } from '../../store/oauth-clients/clients.ts';

/** What people sign in to: a server as it is registered today. */
export interface Binding {
  registration: RegistrationRow;
  client: OAuthClientRow;
  server: StoredSignInServer;
}

/** `pending`: it is being registered again. `none`: nobody can sign in to it, or it is not the server that the session froze. */
export type FoundBinding = { kind: 'bound'; binding: Binding } | { kind: 'pending' | 'none' };

/** Of a server as a session froze it. */
export async function readBinding(
  db: Db,
  { entry_id: entryId, shape, sign_in }: Pick<FrozenServer, 'entry_id' | 'shape' | 'sign_in'>,
): Promise<FoundBinding> {
  const registration = await readRegistrationOf(db, entryId);
  const isSame = shape.type === 'remote' && sign_in === 'oauth' && registration?.shape.url === shape.url;
  return registration === null || !isSame ? { kind: 'none' } : bindingOf(db, registration);
}

/** Of the registration with this id; none when it is gone. */
export async function readBindingOf(db: Db, registrationId: string): Promise<FoundBinding> {
  const registration = await readRegistration(db, registrationId);
  return registration === null ? { kind: 'none' } : bindingOf(db, registration);
}

/** Of the server as it is registered today; none once its entry is removed, whatever is left to be deleted. */
export async function bindingOf(db: Db, registration: RegistrationRow): Promise<FoundBinding> {
  const { id, mcp_server_id: entryId, status, sign_in, sign_in_server: server } = registration;
  if (entryId === null) {
    return { kind: 'none' };
  }
  if (status === 'pending') {
    return { kind: 'pending' };
  }
  const client = await readCurrentClient(db, id);
  return server !== null &&
    client !== null &&
    status === 'ready' &&
    sign_in === 'oauth' &&
    client.issuer === server.authorizationServer.issuer
    ? { kind: 'bound', binding: { registration, client, server } }
    : { kind: 'none' };
}

/** What a sign-in is made with: a change of any of it means signing in again. */
export interface BoundTo {
  url: string;
  resource: string;
  issuer: string;
  oauth_client_id: string;
}

export const boundToOf = ({ registration, client, server }: Binding): BoundTo => ({
  url: registration.shape.url,
  ...partiesOf(server),
  oauth_client_id: client.id,
});

/** Whether a sign-in was, or is being, made with all of that. */
export const isBoundTo = (made: BoundTo, binding: Binding): boolean => {
  const today = boundToOf(binding);
  return (
    made.url === today.url &&
    made.resource === today.resource &&
    made.issuer === today.issuer &&
    made.oauth_client_id === today.oauth_client_id
  );
};
