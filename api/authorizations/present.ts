import { bindingOf } from '../../commands/oauth-connections/binding.ts';
import type { Authorization } from '../../contract/authorization.ts';
import type { Db } from '../../store/database.ts';
import { readRegistration } from '../../store/mcp-registrations/read.ts';
import type { OwnAuthorization } from '../../store/oauth-authorizations/read.ts';
import { notFound } from '../errors.ts';
import { shownPartiesOf } from '../remote-servers/present-registration.ts';

/** As the person who is to sign in reads it. Throws 404 when the entry was removed meanwhile. */
export async function presentAuthorization(db: Db, own: OwnAuthorization): Promise<Authorization> {
  const registration = await readRegistration(db, own.registration_id);
  if (registration === null) {
    throw notFound('The sign-in');
  }
  const found = await bindingOf(db, registration);
  const isOver = own.status === 'pending' && Date.parse(own.expires_at) <= Date.now();
  const { id, workspace, agent, scopes, missing_scopes, problem, expires_at } = own;
  return {
    ...{ id, workspace, scopes, missing_scopes, problem, expires_at },
    status: isOver ? 'expired' : own.status,
    mcp_server: own.entry_name,
    session: own.session_id === null || agent === null ? null : { id: own.session_id, agent },
    parties: found.kind === 'bound' ? shownPartiesOf(found.binding.server) : null,
    origin: new URL(registration.redirect_uri).origin,
  };
}
